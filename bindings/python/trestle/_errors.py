# SPDX-License-Identifier: Apache-2.0
"""The exceptions that Python has no name for."""


class Error(Exception):
    """An error whose code has no Python exception of its own.

    `code` is Abseil's name of it: FAILED_PRECONDITION, RESOURCE_EXHAUSTED, ...
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class ContractViolation(AssertionError):
    """A documented precondition of the call was broken: a bug in the calling code."""
