// Classic BPF over struct seccomp_data (linux/seccomp.h): nr at 0, arch at 4, the low half of argument n at 16 + 8 n.
const load = 0x20
const jumpEqual = 0x15
const jumpAtLeast = 0x35
const jumpAnySet = 0x45
const give = 0x06

const allow = 0x7fff0000
const refuse = 0x00050000
const kill = 0x80000000

const eperm = 1
const enosys = 38
const eafnosupport = 97

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME. */
const namespaces = 0x7e020080
const tiocsti = 0x5412
const tioclinux = 0x541c

/** Numbers of system calls, from asm/unistd_64.h and asm-generic/unistd.h. */
const numbers = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    ioctl: 16,
    socket: 41,
    prlimit64: 302,
    refused: {
      acct: 163,
      add_key: 248,
      adjtimex: 159,
      bpf: 321,
      chroot: 161,
      clock_adjtime: 305,
      clock_settime: 227,
      delete_module: 176,
      fanotify_init: 300,
      finit_module: 313,
      fsconfig: 431,
      fsmount: 432,
      fsopen: 430,
      fspick: 433,
      init_module: 175,
      io_uring_enter: 426,
      io_uring_register: 427,
      io_uring_setup: 425,
      ioperm: 173,
      iopl: 172,
      kcmp: 312,
      kexec_file_load: 320,
      kexec_load: 246,
      keyctl: 250,
      mbind: 237,
      memfd_create: 319,
      memfd_secret: 447,
      migrate_pages: 256,
      modify_ldt: 154,
      mount: 165,
      mount_setattr: 442,
      move_mount: 429,
      move_pages: 279,
      name_to_handle_at: 303,
      open_by_handle_at: 304,
      open_tree: 428,
      perf_event_open: 298,
      personality: 135,
      pidfd_getfd: 438,
      pivot_root: 155,
      process_vm_readv: 310,
      process_vm_writev: 311,
      ptrace: 101,
      quotactl: 179,
      quotactl_fd: 443,
      reboot: 169,
      request_key: 249,
      set_mempolicy: 238,
      setns: 308,
      settimeofday: 164,
      shmat: 30,
      shmget: 29,
      swapoff: 168,
      swapon: 167,
      syslog: 103,
      umount2: 166,
      unshare: 272,
      uselib: 134,
      userfaultfd: 323,
      ustat: 136,
    },
    /** Reaching other processes of the same user: for runners without a namespace of processes. */
    signals: {
      kill: 62,
      pidfd_open: 434,
      pidfd_send_signal: 424,
      rt_sigqueueinfo: 129,
      rt_tgsigqueueinfo: 297,
      sched_setaffinity: 203,
      sched_setattr: 314,
      sched_setparam: 142,
      sched_setscheduler: 144,
      setpriority: 141,
      tkill: 200,
    },
    /** Starting programs and processes. */
    processes: { execve: 59, execveat: 322, fork: 57, vfork: 58 },
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    ioctl: 29,
    socket: 198,
    prlimit64: 261,
    refused: {
      acct: 89,
      add_key: 217,
      adjtimex: 171,
      bpf: 280,
      chroot: 51,
      clock_adjtime: 266,
      clock_settime: 112,
      delete_module: 106,
      fanotify_init: 262,
      finit_module: 273,
      fsconfig: 431,
      fsmount: 432,
      fsopen: 430,
      fspick: 433,
      init_module: 105,
      io_uring_enter: 426,
      io_uring_register: 427,
      io_uring_setup: 425,
      kcmp: 272,
      kexec_file_load: 294,
      kexec_load: 104,
      keyctl: 219,
      mbind: 235,
      memfd_create: 279,
      memfd_secret: 447,
      migrate_pages: 238,
      mount: 40,
      mount_setattr: 442,
      move_mount: 429,
      move_pages: 239,
      name_to_handle_at: 264,
      open_by_handle_at: 265,
      open_tree: 428,
      perf_event_open: 241,
      personality: 92,
      pidfd_getfd: 438,
      pivot_root: 41,
      process_vm_readv: 270,
      process_vm_writev: 271,
      ptrace: 117,
      quotactl: 60,
      quotactl_fd: 443,
      reboot: 142,
      request_key: 218,
      set_mempolicy: 237,
      setns: 268,
      settimeofday: 170,
      shmat: 196,
      shmget: 194,
      swapoff: 225,
      swapon: 224,
      syslog: 116,
      umount2: 39,
      unshare: 97,
      userfaultfd: 282,
    },
    signals: {
      kill: 129,
      pidfd_open: 434,
      pidfd_send_signal: 424,
      rt_sigqueueinfo: 138,
      rt_tgsigqueueinfo: 240,
      sched_setaffinity: 122,
      sched_setattr: 274,
      sched_setparam: 118,
      sched_setscheduler: 119,
      setpriority: 140,
      tkill: 130,
    },
    processes: { execve: 221, execveat: 281 },
  },
} as const

/** Whether filters can be made for this machine. */
export const hasSeccomp = (arch: string = process.arch): arch is keyof typeof numbers => arch in numbers

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

const refuseCall = (number: number, error = eperm): Buffer[] => [
  instruction(jumpEqual, 0, 1, number),
  always(refuse | error),
]

/** Refuses `clone` where its flags meet the test of two instructions; those jump to the refusal by falling through. */
const refuseClone = (number: number, test: Buffer): Buffer[] => [
  instruction(jumpEqual, 0, 4, number),
  instruction(load, 0, 0, 16),
  test,
  always(refuse | eperm),
  instruction(load, 0, 0, 0),
]

/**
 * What no run may call: mounting, namespaces, tracing, kernel interfaces, shared memory outside of limits, sockets and
 * terminal injection, as `struct sock_filter[]`. With `alone`, also what reaches other processes of the same user.
 */
export const baseFilter = (alone = false, arch: string = process.arch): Buffer => {
  if (!hasSeccomp(arch)) throw new Error(`There are no system call numbers for ${arch}.`)
  const calls = numbers[arch]
  const filter = begin(calls.audit)
  // The x32 interface has numbers of its own.
  if (arch === 'x64') filter.push(instruction(jumpAtLeast, 0, 1, 0x40000000), always(refuse | enosys))
  // Its flags lie in memory that a filter cannot read; libraries fall back to clone.
  filter.push(...refuseCall(calls.clone3, enosys))
  for (const number of Object.values(calls.refused)) filter.push(...refuseCall(number))
  filter.push(...refuseClone(calls.clone, instruction(jumpAnySet, 0, 1, namespaces)))
  filter.push(...refuseCall(calls.socket, eafnosupport))
  filter.push(
    instruction(jumpEqual, 0, 4, calls.ioctl),
    instruction(load, 0, 0, 24),
    instruction(jumpEqual, 1, 0, tiocsti),
    instruction(jumpEqual, 0, 1, tioclinux),
    always(refuse | eperm),
    instruction(load, 0, 0, 0),
  )
  if (alone) {
    for (const number of Object.values(calls.signals)) filter.push(...refuseCall(number))
    filter.push(
      instruction(jumpEqual, 0, 3, calls.prlimit64),
      instruction(load, 0, 0, 16),
      instruction(jumpEqual, 1, 0, 0),
      always(refuse | eperm),
    )
  }
  filter.push(always(allow))
  return Buffer.concat(filter)
}

/** What code that may start nothing must not call: programs, processes; threads stay. */
export const processFilter = (arch: string = process.arch): Buffer => {
  if (!hasSeccomp(arch)) throw new Error(`There are no system call numbers for ${arch}.`)
  const calls = numbers[arch]
  const filter = begin(calls.audit)
  for (const number of Object.values(calls.processes)) filter.push(...refuseCall(number))
  filter.push(...refuseCall(calls.clone3, enosys))
  // CLONE_THREAD
  filter.push(...refuseClone(calls.clone, instruction(jumpAnySet, 1, 0, 0x10000)))
  filter.push(always(allow))
  return Buffer.concat(filter)
}
