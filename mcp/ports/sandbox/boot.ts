import type { Packages } from './packages.ts'
import type { SandboxJob, SandboxLimits } from './port.ts'

/** Modules that restrictive code may import. It is policy: the sandbox is the boundary. */
export const allowedModules = [
  ...['math', 'cmath', 'decimal', 'fractions', 'statistics', 'random', 'itertools', 'functools', 'operator'],
  ...['collections', 'heapq', 'bisect', 'array', 'string', 're', 'json', 'csv', 'io', 'datetime', 'time'],
  ...['calendar', 'zoneinfo', 'dataclasses', 'enum', 'typing', 'abc', 'copy', 'types', 'hashlib', 'hmac'],
  ...['base64', 'binascii', 'struct', 'textwrap', 'difflib', 'uuid', 'zlib', 'pprint', 'numbers', 'graphlib'],
  ...['contextlib', 'warnings', 'unicodedata', 'secrets', 'sys', '__future__'],
] as const

/** Packages that restrictive code may import where they are installed. */
export const allowedPackages = [
  ...['numpy', 'pandas', 'scipy', 'dateutil', 'pytz', 'sympy', 'statsmodels', 'sklearn', 'bs4'],
] as const

/** Order for the boot script, as one JSON argument. */
export type BootOrder = {
  /** Of address space, for each process: what is used is counted outside. */
  addressBytes: number
  cpuSeconds: number
  fileBytes: number
  processes: number
  restrictive: boolean
  /** Base64 of a filter that takes away starting anything; null where another one does. */
  filter: string | null
  /** Folders that may be read, where Landlock is the boundary. */
  landlock: { readable: readonly string[]; filter: string } | null
  /** File with the code. Without one it is the global `given`, or else comes in on descriptor 3. */
  file: string | null
  /** Folder of packages that Python does not look into by itself. */
  packages: string | null
  allowed: readonly string[]
  /** True when files of a workspace come in on descriptor 8 and go out on 9. */
  workspace: boolean
}

/** Libraries reserve address space that they never use; code gets what was sold beside it. */
const reservedBytes = 512 << 20

/** Processes of the sandbox itself, and threads that a library starts for each processor. */
const ownProcesses = 4

/** Boot order of a job as all runners give it. */
export const bootOrder = ({ mode, limits, workspace }: SandboxJob) => {
  const restrictive = mode === 'restrictive'
  const threads = Math.ceil(limits.cpus)
  return {
    addressBytes: limits.memoryBytes + reservedBytes,
    // Of one process, which may use all the processors that were sold, all the time.
    cpuSeconds: Math.ceil((limits.timeoutMs / 1000) * Math.max(1, limits.cpus)) + 1,
    fileBytes: limits.diskBytes,
    processes: restrictive ? ownProcesses + threads : limits.processes + (workspace ? 1 : 0),
    restrictive,
    allowed: [...allowedModules, ...allowedPackages],
    workspace: workspace !== undefined,
  }
}

/** The environment of code: libraries start no more threads than there are processors for it. */
export const codeEnvironment = ({ cpus }: SandboxLimits, packages?: Packages): Record<string, string> => ({
  PATH: '/usr/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  OPENBLAS_NUM_THREADS: String(Math.ceil(cpus)),
  OMP_NUM_THREADS: String(Math.ceil(cpus)),
  MPLCONFIGDIR: '/tmp',
  ...(packages && { LD_LIBRARY_PATH: packages.libraries, PYTHONPATH: packages.modules }),
})

/** Exit codes by which the boot script tells what ended the code. */
export const bootExits = { memory: 125, policy: 126, broken: 124 } as const

/**
 * Runs before the code of a stranger and in the same interpreter: puts the limits on, shuts the doors behind itself, then
 * executes the code. What it refuses by reading the code is advice to honest callers; what holds is what the kernel refuses.
 */
export const bootScript = String.raw`import sys, json, os
order = json.loads(sys.argv[1])
sys.argv = ['main.py']
if sys.path[0] == '':
    del sys.path[0]

def set_limits():
    import resource as r
    for kind, value in (
        (r.RLIMIT_AS, order['addressBytes']), (r.RLIMIT_CPU, order['cpuSeconds']), (r.RLIMIT_FSIZE, order['fileBytes']),
        (r.RLIMIT_NOFILE, 256), (r.RLIMIT_NPROC, order['processes']), (r.RLIMIT_CORE, 0),
    ):
        r.setrlimit(kind, (value, value))

def fail(message):
    sys.stderr.write('sandbox: ' + message + '\n')
    sys.stderr.flush()
    os._exit(124)

def shut_landlock():
    import ctypes, struct
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(444, None, 0, 1)
    if abi < 1:
        fail('no landlock')
    access = (1 << 13) - 1
    if abi >= 2: access |= 1 << 13
    if abi >= 3: access |= 1 << 14
    if abi >= 5: access |= 1 << 15
    attributes = struct.pack('<QQQ', access, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    ruleset = libc.syscall(444, attributes, 24 if abi >= 6 else 16 if abi >= 4 else 8, 0)
    if ruleset < 0:
        fail('no ruleset')
    readable = (1 << 0) | (1 << 2) | (1 << 3)
    for path in order['landlock']['readable']:
        try:
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if libc.syscall(445, ruleset, 1, struct.pack('<Qi', readable, folder), 0) != 0:
            fail('no rule for ' + path)
        os.close(folder)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.syscall(446, ruleset, 0) != 0:
        fail('not restricted')
    os.close(ruleset)
    shut_calls(order['landlock']['filter'])

def shut_calls(text):
    import base64, ctypes
    program = base64.b64decode(text)
    buffer = ctypes.create_string_buffer(program, len(program))
    class Filter(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('program', ctypes.c_void_p)]
    given = Filter(len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(given), 0, 0) != 0:
        fail('no filter')

def hide():
    import ctypes
    # Nobody of the same user may look into this process: it gives the files of a workspace out after the code.
    if ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) != 0:
        fail('not hidden')

def take_workspace():
    with os.fdopen(8, 'rb') as files:
        while True:
            head = files.readline()
            if not head:
                break
            path, size = json.loads(head)
            path = os.path.join('/workspace', path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'wb') as file:
                file.write(files.read(size))

def give_workspace():
    import stat
    with os.fdopen(9, 'wb') as files:
        for folder, folders, names in os.walk('/workspace', followlinks=False):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                try:
                    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                except OSError:
                    continue
                with os.fdopen(opened, 'rb') as file:
                    facts = os.fstat(opened)
                    if not stat.S_ISREG(facts.st_mode):
                        continue
                    bytes = file.read()
                    files.write(json.dumps([os.path.relpath(path, '/workspace'), len(bytes)]).encode() + b'\n')
                    files.write(bytes)

def read_code():
    if order['file'] is not None:
        with open(order['file'], encoding='utf-8') as file:
            return file.read()
    if 'given' in globals():
        return given
    with os.fdopen(3, encoding='utf-8') as file:
        return file.read()

def deny(message, os=os):
    sys.stderr.write('policy: ' + message + '\n')
    sys.stderr.flush()
    os._exit(126)

def check_policy(tree, allowed):
    import ast
    hidden = {'__subclasses__', '__globals__', '__builtins__', '__code__', '__mro__', '__bases__', '__base__', '__closure__',
              'f_globals', 'f_locals', 'f_builtins', 'f_back', 'gi_frame', 'cr_frame', 'ag_frame', 'tb_frame', 'modules'}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ['.'] if node.level else [node.module or '']
        elif isinstance(node, ast.Attribute) and node.attr in hidden:
            deny('line %d: the attribute %s is not open to restrictive code' % (node.lineno, node.attr))
        elif isinstance(node, ast.Name) and node.id in ('__import__', '__builtins__', '__loader__', '__spec__'):
            deny('line %d: the name %s is not open to restrictive code' % (node.lineno, node.id))
        for name in names:
            if name.split('.')[0] not in allowed:
                deny('line %d: the module %s is not on the list of restrictive code' % (node.lineno, name))

def guard_imports(allowed, source):
    import builtins
    original = builtins.__import__
    for name in ('numpy', 'pandas', 'scipy'):
        if name in source:
            try:
                original(name)
            except ImportError:
                pass
    def guard(name, globals=None, locals=None, fromlist=(), level=0, original=original, allowed=allowed, deny=deny):
        importer = None if not globals else globals.get('__name__')
        outside = importer == '__main__' or (importer is None and not name.startswith('encodings'))
        if outside and level == 0 and name.split('.')[0] not in allowed:
            deny('the module ' + name + ' is not on the list of restrictive code')
        return original(name, globals, locals, fromlist, level)
    builtins.__import__ = guard
    refused = frozenset(['os.system', 'os.exec', 'os.posix_spawn', 'os.fork', 'os.forkpty', 'subprocess.Popen',
                         'socket.__new__', 'pty.spawn'])
    def hook(event, arguments, deny=deny, refused=refused):
        if event in refused:
            deny(event + ' is not open to restrictive code')
    sys.addaudithook(hook)

def compile_code(source):
    try:
        tree = compile(source, '/box/main.py', 'exec', 1024, dont_inherit=True)
        if order['restrictive']:
            check_policy(tree, frozenset(order['allowed']))
        return compile(tree, '/box/main.py', 'exec', dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as problem:
        sys.__excepthook__(type(problem), problem.with_traceback(None), None)
        sys.stderr.flush()
        os._exit(1)
    except MemoryError:
        os._exit(125)

def share_workspace():
    take_workspace()
    hide()
    ready, begin = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(ready, 1)
        os.chdir('/workspace')
        return
    if order['filter']:
        shut_calls(order['filter'])
    os.close(0)
    os.write(begin, b'1')
    status = os.waitpid(child, 0)[1]
    if status == 0:
        give_workspace()
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

def run(code, os=os):
    try:
        exec(code, {'__name__': '__main__', '__file__': '/box/main.py', '__builtins__': __builtins__})
    except SystemExit:
        raise
    except BaseException as problem:
        # Without the frame of this script.
        trace = problem.__traceback__.tb_next
        try:
            sys.__excepthook__(type(problem), problem.with_traceback(trace), trace)
            sys.stderr.flush()
        finally:
            if isinstance(problem, MemoryError):
                os._exit(125)
        raise SystemExit(1) from None

source = read_code()
set_limits()
if order['landlock']:
    shut_landlock()
code = compile_code(source)
if order['workspace']:
    share_workspace()
os.closerange(3, 256)
if order['restrictive'] and order['filter']:
    shut_calls(order['filter'])
if order['packages'] and order['packages'] not in sys.path:
    sys.path.append(order['packages'])
if order['restrictive']:
    guard_imports(frozenset(order['allowed']), source)
del source, hide, take_workspace, give_workspace, share_workspace, set_limits, shut_landlock, shut_calls
del read_code, compile_code, check_policy, guard_imports, json, os
run(code)
`
