import { systemCalls } from './system-calls.ts'

// Classic BPF over struct seccomp_data (linux/seccomp.h): nr at 0, arch at 4, the low half of argument n at 16 + 8 n.
const load = 0x20
const jumpEqual = 0x15
const jumpAtLeast = 0x35
const jumpAnySet = 0x45
const give = 0x06

const allow = 0x7fff0000
const refuse = 0x00050000
const kill = 0x80000000

const errors = { eperm: 1, enotty: 25, enosys: 38, eafnosupport: 97 } as const

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME. */
const namespaces = 0x7e020080
const cloneThread = 0x10000

/** Calls of which an argument decides, AUDIT_ARCH, and the calls that start something. */
const machines = {
  x64: {
    audit: 0xc000003e,
    ...{
      clone: 56,
      clone3: 435,
      fcntl: 72,
      ioctl: 16,
      prctl: 157,
      prlimit64: 302,
      socket: 41,
      socketpair: 53,
    },
    /** execve, fork and vfork. */
    starts: [59, 57, 58],
  },
  arm64: {
    audit: 0xc00000b7,
    ...{
      clone: 220,
      clone3: 435,
      fcntl: 25,
      ioctl: 29,
      prctl: 167,
      prlimit64: 261,
      socket: 198,
      socketpair: 199,
    },
    starts: [221],
  },
} as const

/** TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX and FIOCLEX: looking, and waiting. */
const deviceRequests = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451]

/**
 * F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, locks, F_DUPFD_CLOEXEC and F_GETPIPE_SZ. F_SETOWN and F_SETSIG would have the kernel
 * send a signal to any process of the same user.
 */
const descriptorCommands = [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032, 1033, 1034]

/** PDEATHSIG, DUMPABLE, NAME, SECCOMP, CAPBSET_READ and NO_NEW_PRIVS. */
const processOptions = [1, 2, 3, 4, 15, 16, 21, 22, 23, 38, 39]

/** True when filters can be made for this machine. */
export const hasSeccomp = (arch: string = process.arch): arch is keyof typeof machines => arch in machines

const machineFor = (arch: string) => {
  if (!hasSeccomp(arch)) throw new Error(`There are no system call numbers for ${arch}.`)
  return { ...machines[arch], ...systemCalls[arch] }
}

const instruction = (code: number, whenTrue: number, whenFalse: number, operand: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes[2] = whenTrue
  bytes[3] = whenFalse
  bytes.writeUInt32LE(operand >>> 0, 4)
  return bytes
}

const always = (verdict: number): Buffer => instruction(give, 0, 0, verdict)

/** Kills on another architecture, whose numbers mean other calls; leaves the number of the call loaded. */
const begin = (audit: number): Buffer[] => [
  instruction(load, 0, 0, 4),
  instruction(jumpEqual, 1, 0, audit),
  always(kill),
  instruction(load, 0, 0, 0),
]

const decide = (number: number, verdict: number): Buffer[] => [
  instruction(jumpEqual, 0, 1, number),
  always(verdict),
]

/** Decides a call by one of its arguments: allowed where a test of one instruction holds. */
const decideBy = (number: number, argument: number, tests: readonly Buffer[], error: number): Buffer[] => [
  instruction(jumpEqual, 0, 2 + 2 * tests.length, number),
  instruction(load, 0, 0, 16 + 8 * argument),
  ...tests.flatMap(test => [test, always(allow)]),
  always(refuse | error),
]

const equals = (value: number): Buffer => instruction(jumpEqual, 0, 1, value)
const hasAny = (bits: number): Buffer => instruction(jumpAnySet, 0, 1, bits)
const hasNone = (bits: number): Buffer => instruction(jumpAnySet, 1, 0, bits)

/**
 * What a run may call, as `struct sock_filter[]`; everything else does not exist for it. `alone` is for runs without namespaces: they
 * reach no file by a path but to open or stat it, no socket and no other process, and start none.
 */
export const callFilter = (alone = false, arch: string = process.arch): Buffer => {
  const { audit, shared, apart, ...calls } = machineFor(arch)
  const filter = begin(audit)
  // The x32 interface has numbers of its own.
  if (arch === 'x64') filter.push(instruction(jumpAtLeast, 0, 1, 0x40000000), always(refuse | errors.enosys))
  const numbers = [...Object.values(shared), ...(alone ? [] : Object.values(apart))]
  for (const number of numbers) filter.push(...decide(number, allow))
  filter.push(
    ...decideBy(calls.fcntl, 1, descriptorCommands.map(equals), errors.eperm),
    ...decideBy(calls.ioctl, 1, deviceRequests.map(equals), errors.enotty),
    ...decideBy(calls.prctl, 0, processOptions.map(equals), errors.eperm),
    ...decideBy(calls.clone, 0, [alone ? hasAny(cloneThread) : hasNone(namespaces)], errors.eperm),
    // Of other processes none, where they are those of the machine.
    ...(alone
      ? decideBy(calls.prlimit64, 0, [equals(0)], errors.eperm)
      : [
          ...decide(calls.prlimit64, allow),
          ...decideBy(calls.socketpair, 0, [equals(1)], errors.eafnosupport),
        ]),
    ...decide(calls.socket, refuse | errors.eafnosupport),
    ...calls.starts.flatMap(number => decide(number, refuse | errors.eperm)),
    // Its flags lie in memory that a filter cannot read; libraries fall back to clone.
    always(refuse | errors.enosys),
  )
  return Buffer.concat(filter)
}

/** Filter for code that may start nothing: no programs, no processes; threads stay. */
export const processFilter = (arch: string = process.arch): Buffer => {
  const { audit, clone, starts } = machineFor(arch)
  return Buffer.concat([
    ...begin(audit),
    ...starts.flatMap(number => decide(number, refuse | errors.eperm)),
    ...decideBy(clone, 0, [hasAny(cloneThread)], errors.eperm),
    always(allow),
  ])
}
