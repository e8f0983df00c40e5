import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** A user that nothing else runs as: Chromium keeps its own sandbox only without root. */
const user = 61_900

/** Address of the browser's way out, inside its network namespace. */
export const proxyUrl = 'http://127.0.0.1:3128'

const bridge = `const { connect, createServer } = require('node:net')
createServer(inside => {
  const outside = connect('/proxy/out.sock')
  inside.on('error', () => outside.destroy()).on('close', () => outside.destroy())
  outside.on('error', () => inside.destroy()).on('close', () => inside.destroy())
  inside.pipe(outside).pipe(inside)
}).listen(3128, '127.0.0.1')`

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const readable = [
  '/etc/fonts',
  '/etc/ssl',
  '/etc/ca-certificates',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/chromium',
  '/etc/chromium.d',
  '/opt',
]

type Options = {
  /** The program, such as /usr/bin/chromium. */
  chromium: string
  /** A folder that holds out.sock, the socket of the proxy. */
  folder: string
  /** Folders of control groups that it enters. */
  groups: readonly string[]
}

/**
 * A program that takes the arguments of Chromium and starts it in namespaces of its own: no network but a socket to the filtering
 * proxy, no files but the system's, and its own sandbox on.
 */
export const wrapChromium = ({ chromium, folder, groups }: Options): string => {
  const node = realpathSync(process.execPath)
  const mounts = [
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64', '--symlink', 'usr/sbin', '/sbin'],
    ...readable.filter(existsSync).flatMap(path => ['--ro-bind', path, path]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(256 << 20), '--tmpfs', '/dev/shm'],
    ...[
      '--size',
      String(256 << 20),
      '--tmpfs',
      '/tmp',
      '--bind',
      folder,
      '/proxy',
      '--ro-bind',
      node,
      '/node',
    ],
  ]
  const flags = [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--uid', '1000', '--gid', '1000'],
    ...['--hostname', 'browser', '--cap-drop', 'ALL', ...mounts, '--chdir', '/tmp', '--clearenv'],
    ...['--setenv', 'HOME', '/tmp', '--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'LANG', 'C.UTF-8'],
  ]
  const inside = `/node -e ${quote(bridge)} & exec ${quote(chromium)} "$@"`
  const lines = [
    '#!/bin/sh',
    ...groups.map(group => `echo $$ > ${quote(join(group, 'cgroup.procs'))} || exit 97`),
    `exec ${process.getuid?.() === 0 ? `setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs ` : ''}bwrap ${flags.map(quote).join(' ')} -- /bin/sh -c ${quote(inside)} sh "$@"`,
  ]
  return `${lines.join('\n')}\n`
}
