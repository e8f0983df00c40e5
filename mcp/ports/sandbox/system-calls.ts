/** Numbers by name: `read 0, write 1`. */
const parse = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text.split(',').map(entry => {
      const [name = '', number] = entry.trim().split(/\s+/)
      return [name, Number(number)]
    }),
  )

/**
 * System calls that runs may make, from asm/unistd_64.h and asm-generic/unistd.h of Linux 6.1. `shared`: memory, time, threads, and
 * descriptors. `apart`: files by their path, processes, signals and pairs of sockets, for runs that have namespaces of their own.
 */
export const systemCalls = {
  x64: {
    shared: parse(`
read 0, write 1, open 2, openat 257, close 3, close_range 436, stat 4, fstat 5, lstat 6, newfstatat 262, lseek 8, poll
7, ppoll 271, select 23, pselect6 270, pread64 17, pwrite64 18, readv 19, writev 20, preadv 295, pwritev 296, preadv2
327, pwritev2 328, pipe 22, pipe2 293, dup 32, dup2 33, dup3 292, getdents 78, getdents64 217, getcwd 79, fadvise64
221, mmap 9, mprotect 10, munmap 11, mremap 25, brk 12, madvise 28, msync 26, mincore 27, epoll_create 213,
epoll_create1 291, epoll_ctl 233, epoll_wait 232, epoll_pwait 281, epoll_pwait2 441, eventfd 284, eventfd2 290,
timerfd_create 283, timerfd_settime 286, timerfd_gettime 287, exit 60, exit_group 231, getpid 39, getppid 110, gettid
186, getuid 102, geteuid 107, getgid 104, getegid 108, getresuid 118, getresgid 120, getgroups 115, getpgid 121,
getpgrp 111, getsid 124, getpriority 140, sched_yield 24, sched_getaffinity 204, sched_getparam 143,
sched_getscheduler 145, sched_get_priority_max 146, sched_get_priority_min 147, sched_rr_get_interval 148, getcpu 309,
getrlimit 97, getrusage 98, times 100, sysinfo 99, uname 63, set_tid_address 218, set_robust_list 273, get_robust_list
274, rseq 334, futex 202, futex_waitv 449, membarrier 324, restart_syscall 219, arch_prctl 158, capget 125,
rt_sigaction 13, rt_sigprocmask 14, rt_sigreturn 15, rt_sigpending 127, rt_sigtimedwait 128, rt_sigsuspend 130,
sigaltstack 131, pause 34, alarm 37, setitimer 38, getitimer 36, nanosleep 35, clock_nanosleep 230, clock_gettime 228,
clock_getres 229, gettimeofday 96, time 201, timer_create 222, timer_settime 223, timer_gettime 224, timer_delete 226,
timer_getoverrun 225, getrandom 318`),
    apart: parse(`
access 21, faccessat 269, faccessat2 439, statx 332, statfs 137, fstatfs 138, chdir 80, fchdir 81, rename 82, renameat
264, renameat2 316, mkdir 83, mkdirat 258, rmdir 84, creat 85, link 86, linkat 265, unlink 87, unlinkat 263, symlink
88, symlinkat 266, readlink 89, readlinkat 267, chmod 90, fchmod 91, fchmodat 268, fchmodat2 452, chown 92, fchown 93,
lchown 94, fchownat 260, mknod 133, mknodat 259, utime 132, utimes 235, utimensat 280, futimesat 261, truncate 76,
ftruncate 77, fallocate 285, umask 95, flock 73, fsync 74, fdatasync 75, sync_file_range 277, sendfile 40,
copy_file_range 326, getxattr 191, lgetxattr 192, fgetxattr 193, listxattr 194, llistxattr 195, flistxattr 196, fork
57, vfork 58, execve 59, wait4 61, waitid 247, kill 62, tkill 200, tgkill 234, pidfd_open 434, pidfd_send_signal 424,
setsid 112, setpgid 109, setrlimit 160, setpriority 141, sched_setaffinity 203, sched_setparam 142, sched_setscheduler
144, signalfd 282, signalfd4 289, sendto 44, recvfrom 45, sendmsg 46, recvmsg 47, shutdown 48, getsockname 51,
getpeername 52, getsockopt 55, setsockopt 54`),
  },
  arm64: {
    shared: parse(`
read 63, write 64, openat 56, close 57, close_range 436, fstat 80, newfstatat 79, lseek 62, ppoll 73, pselect6 72,
pread64 67, pwrite64 68, readv 65, writev 66, preadv 69, pwritev 70, preadv2 286, pwritev2 287, pipe2 59, dup 23, dup3
24, getdents64 61, getcwd 17, fadvise64 223, mmap 222, mprotect 226, munmap 215, mremap 216, brk 214, madvise 233,
msync 227, mincore 232, epoll_create1 20, epoll_ctl 21, epoll_pwait 22, epoll_pwait2 441, eventfd2 19, timerfd_create
85, timerfd_settime 86, timerfd_gettime 87, exit 93, exit_group 94, getpid 172, getppid 173, gettid 178, getuid 174,
geteuid 175, getgid 176, getegid 177, getresuid 148, getresgid 150, getgroups 158, getpgid 155, getsid 156,
getpriority 141, sched_yield 124, sched_getaffinity 123, sched_getparam 121, sched_getscheduler 120,
sched_get_priority_max 125, sched_get_priority_min 126, sched_rr_get_interval 127, getcpu 168, getrlimit 163,
getrusage 165, times 153, sysinfo 179, uname 160, set_tid_address 96, set_robust_list 99, get_robust_list 100, rseq
293, futex 98, futex_waitv 449, membarrier 283, restart_syscall 128, capget 90, rt_sigaction 134, rt_sigprocmask 135,
rt_sigreturn 139, rt_sigpending 136, rt_sigtimedwait 137, rt_sigsuspend 133, sigaltstack 132, setitimer 103, getitimer
102, nanosleep 101, clock_nanosleep 115, clock_gettime 113, clock_getres 114, gettimeofday 169, timer_create 107,
timer_settime 110, timer_gettime 108, timer_delete 111, timer_getoverrun 109, getrandom 278`),
    apart: parse(`
faccessat 48, faccessat2 439, statx 291, statfs 43, fstatfs 44, chdir 49, fchdir 50, renameat 38, renameat2 276,
mkdirat 34, linkat 37, unlinkat 35, symlinkat 36, readlinkat 78, fchmod 52, fchmodat 53, fchmodat2 452, fchown 55,
fchownat 54, mknodat 33, utimensat 88, truncate 45, ftruncate 46, fallocate 47, umask 166, flock 32, fsync 82,
fdatasync 83, sync_file_range 84, sendfile 71, copy_file_range 285, getxattr 8, lgetxattr 9, fgetxattr 10, listxattr
11, llistxattr 12, flistxattr 13, execve 221, wait4 260, waitid 95, kill 129, tkill 130, tgkill 131, pidfd_open 434,
pidfd_send_signal 424, setsid 157, setpgid 154, setrlimit 164, setpriority 140, sched_setaffinity 122, sched_setparam
118, sched_setscheduler 119, signalfd4 74, sendto 206, recvfrom 207, sendmsg 211, recvmsg 212, shutdown 210,
getsockname 204, getpeername 205, getsockopt 209, setsockopt 208`),
  },
} as const
