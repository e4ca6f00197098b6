-- SPDX-License-Identifier: Apache-2.0
-- For Slurm's CliFilterPlugins=cli_filter/lua: says before submission when a job can never start, and
-- what would. It lies beside slurm.conf. A job is submitted whatever goes wrong here.

-- Where the program is that is asked, and how many seconds it may take.
local program = "/usr/local/libexec/trestle_can_start"
local patience = 2
-- true: a job that can never start is not submitted.
local refuse = false

-- Options that decide about a start, as json_cli_options() names them. What is not among them can only
-- make a start harder.
local with_value = {
    "nodes", "ntasks", "cpus-per-task", "ntasks-per-node", "ntasks-per-socket", "ntasks-per-core",
    "ntasks-per-gpu", "sockets-per-node", "cores-per-socket", "threads-per-core", "extra-node-info",
    "hint", "mincpus", "core-spec", "thread-spec", "distribution", "mem", "mem-per-cpu", "mem-per-gpu",
    "tmp", "gres", "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "cpus-per-gpu",
    "partition", "constraint", "nodelist", "exclude", "switches", "licenses", "time", "time-min",
}
local without_value = { "contiguous", "overcommit", "spread-job", "use-min-nodes" }
-- Another cluster's configuration and the nodes of a reservation are not in these files.
local unknown = { "clusters", "cluster", "reservation", "jobid", "hostfile", "nodefile" }

-- The options that were given, as a table. The values have no quotes but in free text, which is not used.
local function read_json(json)
    local given = {}
    json = json:gsub("\\(.)", function(char) return char == "/" and "/" or "\1" end)
    for name, value in json:gmatch('"([%w-]+)":"([^"]*)"') do
        given[name] = value
    end
    return given
end

local function quoted(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The command line for the program; nothing where it cannot know.
local function command_of(given)
    for _, name in ipairs(unknown) do
        if given[name] then return nil end
    end
    local words = { "exec timeout " .. patience, quoted(program) }
    for _, name in ipairs(with_value) do
        local value = given[name]
        if value then
            value = value:gsub("gres:", ""):gsub("%?$", "")  -- as Slurm keeps --gres=gpu:1 and --mem=0
            words[#words + 1] = quoted("--" .. name .. "=" .. value)
        end
    end
    for _, name in ipairs(without_value) do
        if given[name] then words[#words + 1] = "--" .. name end
    end
    if given.exclusive == "exclusive" then
        words[#words + 1] = "--exclusive"
    elseif given.exclusive then
        words[#words + 1] = quoted("--exclusive=" .. given.exclusive)
    end
    return table.concat(words, " ") .. " 2>/dev/null"
end

-- The line of the program for a job that can never start.
local function answer_for(options)
    if options.type == "srun" and os.getenv("SLURM_JOB_ID") then return nil end  -- a step of a job
    local command = command_of(read_json(slurm.json_cli_options(options)))
    if not command then return nil end
    local pipe = io.popen(command)
    local line = pipe:read("*l")
    pipe:close()
    return line
end

function slurm_cli_setup_defaults(options, early_pass)
    return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, pack_offset)
    local is_fine, line = pcall(answer_for, options)
    if not is_fine or not line or line == "" then return slurm.SUCCESS end
    io.stderr:write(options.type .. ": " .. line .. "\n")
    return refuse and slurm.ERROR or slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job_id, step_id)
    return slurm.SUCCESS
end
