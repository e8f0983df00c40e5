import type { ArtifactSetting } from '../read/settings.ts'
import type { Command } from '../read/shell.ts'

/** True when a letter is among the short options, or the long option is there. */
export const hasFlag = (args: readonly string[], letter: string, long?: string): boolean =>
  args.some(
    arg =>
      (/^-[a-zA-Z]+$/.test(arg) && arg.includes(letter)) ||
      (long !== undefined && (arg === `--${long}` || arg.startsWith(`--${long}=`))),
  )

/** Words that are no options. */
export const plainArgs = (args: readonly string[]): string[] => args.filter(arg => !/^-./.test(arg))

/** True when nothing is done but shown. */
export const isDryRun = (args: readonly string[]): boolean =>
  args.some(arg =>
    /^--dry-?run(?:=(?!none|false)|$)|^--(?:check|what-?if|simulate|plan|help|noop|preview)$/i.test(arg),
  )

/** A directory of the system, or of everybody's data, at its top levels. With `whole`, only as itself. */
export const isSystemPath = (path: string, whole = false): boolean => {
  const bare = path.replace(/\/+$|\/\*+$/g, '')
  if (
    /^\/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|mnt|media|data|Users|System|Library|Applications|private|run|export|nfs|volumes?)$/i.test(
      bare,
    )
  )
    return true
  if (/^\/(?:etc|boot|bin|sbin|lib|lib64|proc|sys|dev)\//.test(bare)) return !whole || /^\/etc\/?$/.test(bare)
  if (/^\/(?:usr|System|Library)\/(?!local\/.*\/)/.test(bare)) return true
  return (
    !whole &&
    (/^\/(?:home|Users|root|mnt|srv|opt|data|media)\/[^/]+$/.test(bare) ||
      /^\/var\/(?:lib|db|www|mail|log|spool|backups?)(?:\/[^/]+)?$/.test(bare))
  )
}

/** A file of settings for one's own machine or for tests, or one that shows which settings there are. */
export const isLocalFile = (file: string): boolean =>
  /(?:^|[/._-])(?:dev(?:elopment)?|local|override|test(?:ing)?|e2e|example|sample|dist)(?:$|[/._-])|[._-]template(?:$|\.)/i.test(
    file,
  )

/** True when a setting stands in such a file of a diff; what a text says of itself is no guard. */
export const isLocalSetting = ({ place }: ArtifactSetting): boolean =>
  place.file !== undefined && isLocalFile(place.file)

const meantForAll =
  /(?:^|[^a-z])(?:fonts?|static|assets|images?|img|public|media|css|js|icons?|tiles|well-known|woff2?|open-?data|downloads?)(?![a-z])/i

/** True when a directive stands in the block of a path that is made for everybody: fonts, pictures and the like. */
export const isPublicPath = (path: string): boolean =>
  meantForAll.test(path.slice(0, path.lastIndexOf('.'))) && !/api|proxy/i.test(path)

/** The name of a bucket or share that is made to be read by everybody, and holds nothing of anybody. */
export const isNamedPublic = (name: string): boolean =>
  /(?:^|[^a-z])(?:public|press|assets?|static|website|www|cdn|downloads?|brand|releases?|mirror|open_?-?data|fonts?|docs)(?![a-z])/i.test(
    name,
  ) &&
  !/private|internal|customer|client|patient|user|upload|export|backup|invoice|order|payroll|report|medical|health|log|audit|secret|db|dump/i.test(
    name,
  )

/** The files that a command writes. */
export const writesTo = ({ program, args, redirects }: Command): string[] => {
  const plain = plainArgs(args)
  const written = redirects.flatMap(({ operator, target }) =>
    operator.includes('>') && !operator.includes('&') ? [target] : operator === '&>' ? [target] : [],
  )
  if (program === 'tee') return [...written, ...plain]
  if (/^(?:cp|mv|install|ln)$/.test(program) && plain.length > 1) return [...written, plain.at(-1) ?? '']
  if (program === 'sed' && args.some(arg => /^-[a-zA-Z]*i|^--in-place/.test(arg)))
    return [...written, ...plain.slice(1)]
  if (/^(?:vi|vim|nano|truncate)$/.test(program)) return [...written, ...plain]
  if (program === 'curl') {
    const at = args.findIndex(arg => arg === '-o' || arg === '--output')
    return at < 0 ? written : [...written, args[at + 1] ?? '']
  }
  return written
}

/** An address of this machine; the end of the name is part of it, for `localhost.example.com` is a stranger's. */
export const ownMachine = /\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?=[:/?#\s]|$)/

const byProgram = new WeakMap<readonly Command[], Map<RegExp, readonly Command[]>>()

/** The commands of an act whose program a pattern matches, gathered once for each pattern. */
export const commandsNamed = (all: readonly Command[], program: RegExp): readonly Command[] => {
  const known = byProgram.get(all) ?? new Map<RegExp, readonly Command[]>()
  byProgram.set(all, known)
  const found = known.get(program) ?? all.filter(command => program.test(command.program))
  known.set(program, found)
  return found
}
