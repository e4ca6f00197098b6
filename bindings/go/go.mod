module trestle

go 1.19
