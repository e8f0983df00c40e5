import { allowedModules, allowedPackages } from './boot.ts'
import type { SandboxJob, SandboxResult } from './port.ts'

/** Findings of a run about the inside of a sandbox. */
export type Found = { python: string; modules: readonly string[] }

/** Tells version and packages, and fails where the outside can be seen or reached. */
const question = (hidden: readonly string[]) => `import importlib, json, os, platform, socket, sys
for path in ${JSON.stringify(hidden)}:
    try:
        (os.listdir if os.path.isdir(path) else open)(path)
    except OSError:
        continue
    sys.exit('it sees ' + path)
try:
    socket.socket()
except OSError:
    pass
else:
    if any(name != 'lo' for _, name in socket.if_nameindex()):
        sys.exit('it has a network')
def works(name):
    try:
        return importlib.import_module(name) is not None
    except Exception:
        return False
names = ${JSON.stringify([...allowedModules, ...allowedPackages])}
print(json.dumps({'python': platform.python_version(), 'modules': [name for name in names if works(name)]}))`

const limits = {
  timeoutMs: 20_000,
  memoryBytes: 1 << 30,
  cpus: 2,
  outputBytes: 8_192,
  diskBytes: 1 << 20,
  processes: 16,
}

/** Runs something by a runner. What works is known only by that: a program that is there may be forbidden by the host. */
export const probeRunner = async (
  run: (job: SandboxJob) => Promise<SandboxResult>,
  hidden: readonly string[] = ['/root', '/home', '/etc/shadow', '/etc/passwd'],
): Promise<Found | { reason: string }> => {
  try {
    const { status, stdout, stderr } = await run({
      code: question(hidden),
      stdin: '',
      mode: 'permissive',
      limits,
    })
    if (status === 'ok') return JSON.parse(stdout.toString()) as Found
    return { reason: stderr.toString().trim().split('\n').at(-1) || status }
  } catch (problem) {
    return { reason: problem instanceof Error ? problem.message : String(problem) }
  }
}
