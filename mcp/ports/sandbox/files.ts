/** Files of a workspace by their path inside it. */
export type WorkspaceFiles = ReadonlyMap<string, Buffer>

/** Limits of a workspace. */
export const workspaceLimits = { files: 200, bytes: 16 << 20, pathLength: 240 } as const

const isPath = (path: unknown): path is string =>
  typeof path === 'string' &&
  path.length > 0 &&
  path.length <= workspaceLimits.pathLength &&
  !/[\0\n\r\ufffd]/.test(path) &&
  path.split('/').every(part => part !== '' && part !== '.' && part !== '..')

/** Each file as a line of JSON, its path and its length, and then its bytes. */
export const packFiles = (files: WorkspaceFiles): Buffer =>
  Buffer.concat(
    [...files].flatMap(([path, bytes]) => [Buffer.from(`${JSON.stringify([path, bytes.length])}\n`), bytes]),
  )

/** The files that came out of a sandbox, which may have written anything; undefined if it is not what was agreed on. */
export const unpackFiles = (packed: Buffer): WorkspaceFiles | undefined => {
  const files = new Map<string, Buffer>()
  let at = 0
  while (at < packed.length) {
    const end = packed.indexOf(10, at)
    if (end < 0 || end - at > workspaceLimits.pathLength * 6 + 32) return
    let head: unknown
    try {
      head = JSON.parse(packed.toString('utf8', at, end))
    } catch {
      return
    }
    if (!Array.isArray(head)) return
    const [path, length] = head as unknown[]
    if (!isPath(path) || files.has(path)) return
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return
    at = end + 1 + length
    if (at > packed.length || files.size >= workspaceLimits.files) return
    files.set(path, packed.subarray(end + 1, at))
  }
  return files
}
