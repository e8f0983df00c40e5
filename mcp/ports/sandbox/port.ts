import type { Turn } from '../scheduler/port.ts'
import type { WorkspaceFiles } from './files.ts'

/** Limits of one run. */
export type SandboxLimits = {
  /** Wall time, after which everything in the sandbox is killed. */
  timeoutMs: number
  /** For all processes of the run together. */
  memoryBytes: number
  /** Shares of one processor; kept only where `isolates.cpu` says so. */
  cpus: number
  /** For each of the two streams. */
  outputBytes: number
  /** For files under /tmp. */
  diskBytes: number
  /** Processes and threads. */
  processes: number
}

/** `restrictive`: modules of an allowlist, no child processes. `permissive`: anything that the sandbox itself holds. */
export type SandboxMode = 'restrictive' | 'permissive'

export type SandboxJob = {
  /** Python 3. */
  code: string
  stdin: string
  mode: SandboxMode
  limits: SandboxLimits
  /** The files that the run finds in /workspace, where it may write; without them there is no such folder. */
  workspace?: WorkspaceFiles | undefined
  /** Ends the run: it rejects with the reason once everything of it is gone. */
  signal?: AbortSignal | undefined
}

export type SandboxStatus = 'ok' | 'error' | 'timeout' | 'memory_limit' | 'output_limit' | 'policy_violation'

/** Usage of a run: by the kernel's count or by looks 20 times a second; where neither can be, what was set aside for it. */
export type SandboxUsage = {
  /** Of processor time. */
  cpuSeconds: number
  /** The most that all of its processes held at once. */
  memoryBytes: number
}

export type SandboxResult = {
  status: SandboxStatus
  exitCode: number | null
  signal: string | null
  stdout: Buffer
  stderr: Buffer
  startedAt: Date
  endedAt: Date
  usage: SandboxUsage
  /** Files in /workspace at the end of code that ended well; undefined if it did not, or left more than it may. */
  workspace?: WorkspaceFiles | undefined
}

/** Isolation of a runner from the host, and its means. */
export type SandboxFacts = {
  runner: 'bubblewrap' | 'landlock' | 'container'
  /** Of Python, such as `3.11.2`. */
  python: string
  isolates: {
    filesystem: string
    network: string
    processes: string
    /** `cgroup` counts exactly, `watcher` looks 20 times a second. */
    memory: 'cgroup' | 'watcher' | 'container'
    /** True when `cpus` is kept. */
    cpu: boolean
  }
  modes: readonly SandboxMode[]
  /** True when a run can see a workspace. */
  workspace: boolean
  /** Modules restrictive code may import. */
  modules: readonly string[]
}

/** Runs code of strangers, apart from this machine. */
export type Sandbox = {
  facts: SandboxFacts
  /** Runs a job; what its code does is in the result. Throws only when the sandbox itself fails. */
  run(job: SandboxJob): Promise<SandboxResult>
  close(): Promise<void>
}

/** A sandbox whose jobs take turns. */
export type SharedSandbox = Sandbox & {
  /** The same on behalf of one call: its jobs run when it is their turn, and end when its signal aborts. */
  forCall(turn: Turn): Sandbox
}

/** A sandbox that is looked for when it is first needed. */
export type Sandboxes = {
  /** The runner that works here. Throws `unavailable` with what was tried: code never runs without one. */
  get(): Promise<SharedSandbox>
}

/** True when a runner works here, found out by running something in it. */
export type SandboxProbe = { sandbox: Sandbox } | { reason: string }

export type RunnerOptions = {
  /** Path of the interpreter. */
  python: string
  /** Folder of packages beside those of the system; nothing need be there. */
  packages: string
}
