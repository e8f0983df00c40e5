import type { Command } from '../read/shell.ts'
import { commandFact, type Detector, partial, wide } from './fact.ts'
import { hasFlag, isSystemPath, plainArgs, writesTo } from './words.ts'

/** Directories that tools make anew. */
const madeByTools =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Gemfile\.lock|poetry\.lock|\.next|\.nuxt|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|__pycache__|\.terraform|\.gradle|\.parcel-cache|htmlcov|tmp|temp|\.tmp|logs?|bin|obj|[\w.-]*\.egg-info|public\/build|storybook-static|\.nyc_output|[\w.*-]+\.(?:log|tmp|pyc|o|bak|swp))\/?\*?$/

/** Anything below a directory that holds only what tools make. */
const belowMadeByTools =
  /^(?:\.\/|[\w-]+\/){0,6}(?:node_modules|dist|coverage|\.next|\.nuxt|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|__pycache__|\.gradle|\.parcel-cache|htmlcov|storybook-static|\.nyc_output)\/(?!.*\.\.)/

const temporary = /^(?:\/tmp|\/var\/tmp|\$\{?(?:TMP|TMPDIR|TEMP|RUNNER_TEMP)\}?|\$\(mktemp)(?:\/|$|\b)/

type Danger = 'wide' | 'partial' | 'narrow' | undefined

/** How bad it is to delete a path with all that is in it. */
const deletionDanger = (path: string): Danger => {
  const bare = path.replace(/\/+/g, '/').replace(/\/\.\//g, '/')
  if (/(?:^|\/)\.\.(?:\/|$)/.test(bare) && temporary.test(bare)) return 'partial'
  if (temporary.test(bare) && !/^\/(?:var\/)?tmp\/?\*?$/.test(bare)) return undefined
  if (/^\$\{\w+:\?/.test(bare) || /\/\$\{\w+:\?/.test(bare)) return undefined
  if (
    /^(?:\/|\/\*|~\/?\*?|\.|\.\/|\.\/\*|\*|\.\.\/?\*?|\$\{?HOME\}?\/?\*?|\/\.\*|[A-Za-z]:[\\/]?\*?)$/.test(
      bare,
    )
  )
    return 'wide'
  if (isSystemPath(bare)) return 'wide'
  if (madeByTools.test(bare) || belowMadeByTools.test(bare)) return undefined
  if (/^\$\{?\w+\}?\/?\*?$|^\$\{?\w+\}?\//.test(bare))
    return /^\$\{?(?:PWD|GITHUB_WORKSPACE|CI_PROJECT_DIR|WORKSPACE|HOME)\}?\/./.test(bare)
      ? 'narrow'
      : 'partial'
  if (/^~\/\.(?:ssh|aws|gnupg|kube|config|docker)/.test(bare)) return 'wide'
  if (/(?:^|\/)\.git\/?$/.test(bare)) return 'partial'
  if (/(?:prod|backup|data(?:base)?s?|pgdata|mysql|postgres|wallet|keys?tore)(?:\b|_|\/|$)/i.test(bare))
    return 'wide'
  if (/^[/~]/.test(bare)) return 'partial'
  return 'narrow'
}

const protectedFile =
  /^(?:\/etc\/|\/boot\/|\/usr\/|\/bin\/|\/sbin\/|\/lib|\/sys\/|\/proc\/sys|\/root\/\.)|\.ssh\/authorized_keys$|^\/dev\/(?:sd|nvme|vd|xvd|hd|disk|mmcblk|mem|kmem|md|mapper)/

const device =
  /^(?:of=)?\/dev\/(?:(?!shm\/|fd\/|pts\/|tcp\/|udp\/|input\/|net\/|snd\/)[\w.-]{1,60}\/[\w.-]|dm-\d|sd|nvme|vd|xvd|hd|disk|rdisk|mmcblk|md\d|mapper\/|loop\d)/

/** A search that takes names of one form, and of these only old, empty or direct ones. */
const choosesNarrowly = ({ program, args }: Command): boolean =>
  program === 'find' &&
  args.includes('{}') &&
  args.some(arg => /^-(?:i?name|i?path|i?regex)$/.test(arg)) &&
  args.some(arg => /^-(?:[amc]time|[amc]min|empty|maxdepth|newer\w*)$/.test(arg))

/** True when a command fails when the copy of a directory is not the same as the directory. */
const compares = ({ program, args }: Command, path: string): boolean => {
  const words = args.join(' ')
  const parts = path.split('/').filter(Boolean)
  const parent = `/${parts.slice(0, -1).join('/')}`
  if (parts.length < 2) return false
  const isNamed = words.includes(path) || args.includes(parent)
  if (program === 'tar')
    return isNamed && /^-?[a-zA-Z]{0,6}d[a-zA-Z]{0,6}(?:\s|$)|--(?:diff|compare)\b/.test(words)
  if (program === 'rclone') return isNamed && (args[0] === 'check' || args[0] === 'cryptcheck')
  return isNamed && (program === 'diff' || program === 'cmp')
}

/** A copy of a file beside itself, under a name that says so. */
const isBackup = ({ program, args }: Command): boolean => {
  const [from = '', to] = plainArgs(args)
  if (program !== 'cp') return false
  return to === undefined
    ? /\{,\.[\w.$()%+-]{1,30}\}$/.test(from)
    : to.startsWith(`${from}.`) &&
        /\.(?:bak|backup|orig|old|prev|save|dist|\d|\$)/.test(to.slice(from.length))
}

/** True when rights to everything are written. */
const givesAll = ({ text, input }: Command): boolean =>
  /NOPASSWD:\s?ALL|\)\s?ALL\b(?!\s?=)/.test(`${text} ${input}`)

export const fileFacts: readonly Detector[] = [
  commandFact({
    id: 'shell-delete',
    see({ program, args, feeders, after, outer }) {
      if (program !== 'rm' && program !== 'srm') return
      if (!hasFlag(args, 'r', 'recursive') && !hasFlag(args, 'R')) {
        const bad = plainArgs(args).find(
          path =>
            path === '/*' ||
            path === '*' ||
            protectedFile.test(path) ||
            /\.(?:sqlite3?|db|pem|key)$|\.bash_history$/.test(path) ||
            (/^\/.*\.(?:sql|dump|bak)(?:\.gz)?$/.test(path) && !temporary.test(path)),
        )
        return (
          bad && { detail: `It deletes ${bad}.`, scope: /^\/(?:etc|boot)/.test(bad) ? 'wide' : 'partial' }
        )
      }
      if (args.includes('--no-preserve-root')) return 'It deletes everything, and says so.'
      const source = feeders.at(-1)
      if (plainArgs(args).length === 0 && source && !/^(?:find|fd|echo|printf)$/.test(source.program))
        return partial(`It deletes whatever ${source.program} names, with all that is in it.`)
      const dangers = plainArgs(args).flatMap(path => {
        // What find names is judged by what it looks for.
        if (path === '{}' && outer && choosesNarrowly(outer)) return []
        const scope = deletionDanger(path)
        if (scope === 'partial' && after.some(command => compares(command, path))) return []
        return scope ? [{ path, scope }] : []
      })
      const worst =
        dangers.find(({ scope }) => scope === 'wide') ??
        dangers.find(({ scope }) => scope === 'partial') ??
        dangers[0]
      return worst && { detail: `It deletes ${worst.path} with everything in it.`, scope: worst.scope }
    },
  }),
  commandFact({
    id: 'shell-find-delete',
    see({ program, args, feeders }) {
      const feeder = program === 'rm' ? feeders.find(({ program }) => program === 'find') : undefined
      const words = program === 'find' ? args : feeder?.args
      if (!words) return
      const runsRm = words.some(
        (word, nth) =>
          /^-(?:exec|execdir|ok)$/.test(word) &&
          /^(?:\/bin\/)?(?:rm|shred|unlink)$/.test(words[nth + 1] ?? ''),
      )
      if (!feeder && !words.includes('-delete') && !runsRm) return
      // What stands after -delete no longer chooses: find goes from left to right.
      const deletes = words.indexOf('-delete')
      const firstTest = words.findIndex(word =>
        /^-(?:i?name|i?path|i?regex|[amc]time|[amc]min|empty|size|type|newer\w*)$/.test(word),
      )
      if (program === 'find' && deletes >= 0 && firstTest > deletes)
        return wide('-delete stands before what chooses, so that it deletes everything.')
      const roots = words.slice(0, words.findIndex(word => word.startsWith('-')) >>> 0)
      const hasFilter = words.some(word =>
        /^-(?:i?name|i?path|regex|mtime|mmin|empty|size|atime|ctime)$/.test(word),
      )
      const root = roots.find(path => !temporary.test(path)) ?? ''
      // Old files of one form, in a directory of their own.
      const isBound =
        words.some(word => /^-i?name$/.test(word)) &&
        words.some((word, nth) => /^-[amc](?:time|min)$/.test(word) && /^\+/.test(words[nth + 1] ?? ''))
      if (isBound && (root.split('/').length > 3 || /^\$/.test(root))) return
      if (root === '' && roots.length > 0) return
      if (
        root === '/' ||
        root === '~' ||
        (isSystemPath(root) && !/^\/var\/log\/./.test(root)) ||
        /^\$\{?HOME/.test(root)
      )
        return `It deletes what it finds under ${root}.`
      if (
        /\/(?:tmp|temp|cache|\.cache|caches)\/?$/i.test(root) &&
        words.some(word => /^-[amc](?:time|min)$/.test(word)) &&
        words.some(word => /^-i?name$/.test(word))
      )
        return
      if (/^[/~$]/.test(root))
        return { detail: `It deletes what it finds under ${root}.`, scope: hasFilter ? 'narrow' : 'partial' }
      if (!hasFilter && !madeByTools.test(root)) return partial(`It deletes everything under ${root || '.'}.`)
    },
  }),
  commandFact({
    id: 'shell-disk',
    see({ redirects }) {
      const overwritten = redirects.find(
        ({ operator, target }) => operator.includes('>') && device.test(target),
      )
      return overwritten && `It writes over ${overwritten.target}.`
    },
  }),
  commandFact({
    id: 'shell-system-file',
    see(command) {
      const { program, args, after, feeders } = command
      const [from, to] = [plainArgs(args)[0] ?? '', plainArgs(args).at(-1) ?? '']
      if (program === 'mv' && (isSystemPath(from) || to === '/dev/null' || from === '/*' || from === '*'))
        return `It moves ${from} to ${to}.`
      if (isBackup(command)) return
      const target = writesTo(command).find(
        path => protectedFile.test(path) && !/\{\.[\w.-]{1,20},\}$/.test(path),
      )
      if (!target) return
      // Rights that were checked before, and are not all, and a file with its copy beside it can be taken back.
      if (/^\/etc\/sudoers\.d\//.test(target)) {
        const isChecked = after.some(
          ({ program, args }) => program === 'visudo' && hasFlag(args, 'c', 'check'),
        )
        if (isChecked && !after.some(givesAll) && !feeders.some(givesAll) && !givesAll(command)) return
      } else if (
        /^\/etc\/(?!passwd|shadow|sudoers|gshadow|pam|ld\.so|cron)/.test(target) &&
        after.some(isBackup)
      )
        return
      if (
        /^\/etc\/(?:passwd|shadow|sudoers|gshadow|pam\.d|ld\.so|crontab|cron)|authorized_keys|^\/(?:boot|bin|sbin|lib|sys|proc)|^\/usr\/(?:bin|sbin|lib)|^\/dev\//.test(
          target,
        )
      )
        return `It writes ${target}.`
      return {
        detail: `It writes ${target}.`,
        scope: /^\/usr\/local|^\/etc\/(?:nginx|apt|profile\.d|motd|systemd)/.test(target)
          ? 'narrow'
          : 'partial',
      }
    },
  }),
  commandFact({
    id: 'shell-permissions',
    see({ program, args }) {
      const recursive = hasFlag(args, 'R', 'recursive')
      const words = args.filter(arg => !/^-[a-zA-Z]*$|^--/.test(arg) || /^-[rwx]+$/.test(arg))
      const [mode = '', ...paths] = words
      const system = paths.find(path => /^\/$|^\/\*$|^~\/?$/.test(path) || isSystemPath(path, true))
      if (program === 'chown' || program === 'chgrp')
        return recursive && system !== undefined && wide(`It changes the owner of ${system} and all in it.`)
      if (program === 'setfacl')
        return (
          /(?:\bo|\bother):{1,2}[r-]*wx?|\bu(?:ser)?:(?:nobody|www-data|guest|everyone|anonymous):[r-]*w/.test(
            args.join(' '),
          ) && 'It lets everybody write.'
        )
      if (program !== 'chmod') return
      const isOpen = /^[0-7]?[0-7][0-7][2367]$|^(?:a|o|ugo)?[+=][rx]*w/.test(mode) && !/^u?[+=]/.test(mode)
      if (/^(?:u?g?\+s|[2467][0-7]{3})$/.test(mode))
        return `It lets ${paths[0]} run with the rights of its owner.`
      if (recursive && system !== undefined) return wide(`It changes the rights of ${system} and all in it.`)
      return (
        isOpen && {
          detail: `It lets everybody write ${paths[0]}.`,
          scope: recursive || system !== undefined ? 'partial' : 'narrow',
        }
      )
    },
  }),
  commandFact({
    id: 'shell-overwrite-many',
    see({ program, redirects }) {
      if (program !== '' && program !== ':' && program !== 'true') return
      const emptied = redirects.find(
        ({ operator, target }) =>
          operator === '>' && /\.(?:db|sqlite3?|sql|key|pem)$|\/(?:data|backup)/.test(target),
      )
      return emptied && `It empties ${emptied.target}.`
    },
  }),
]
