import commandTable from '../data/commands.json' with { type: 'json' }
import type { Command } from '../read/shell.ts'
import {
  actFact,
  commandFact,
  type Detector,
  type Fact,
  narrow,
  parsePattern,
  partial,
  wide,
} from './fact.ts'
import { isTyposquat } from './packages.ts'
import type { Effect, Scope } from './table.ts'
import { commandsNamed, hasFlag, isDryRun, plainArgs } from './words.ts'

const windowsFetchers = /^(?:Invoke-WebRequest|iwr|Invoke-RestMethod|Start-BitsTransfer)$/i
const planners = /^(?:terraform|tofu|terragrunt)$/

type Row = { words: RegExp; unless: RegExp | undefined; fact: Fact & { effect: Effect } }

/** Effects of commands, by program and words. A row names the programs; one map finds the rows of a program. */
const rows: readonly { program: RegExp; row: Row }[] = commandTable.map(
  ({ effect, program, words, unless, scope, detail }) => ({
    program: parsePattern(`(?i)${program}`, true),
    row: {
      words: parsePattern(words),
      unless: unless === undefined ? undefined : parsePattern(unless),
      fact: { effect: effect as Effect, scope: scope as Scope, detail },
    },
  }),
)

const rowsByProgram = new Map<string, readonly Row[]>()
const maxPrograms = 1000

const rowsOf = (program: string): readonly Row[] => {
  const known = rowsByProgram.get(program)
  if (known) return known
  const own = rows.filter(row => row.program.test(program)).map(({ row }) => row)
  if (rowsByProgram.size < maxPrograms) rowsByProgram.set(program, own)
  return own
}

/** A cluster on this machine, named on the command line itself. */
const localCluster =
  /(?:^|\s)--(?:kube-)?context[= ](?:kind-[\w-]+|k3d-[\w-]+|minikube|docker-desktop|rancher-desktop|orbstack|colima|microk8s)(?:\s|$)/

/** A run of tests by its environment: `RAILS_ENV=test rails db:reset`. */
const isTestRun = ({ assignments }: Command): boolean =>
  assignments.some(({ value }) => /^(?:test|development|dev|ci)$/.test(value))

const maxWords = 2000

/** The first row that a command is of. */
const findRow = (command: Command): Fact | undefined => {
  const { program, args, place } = command
  const own = rowsOf(program.slice(0, 80))
  if (own.length === 0 || isDryRun(args)) return undefined
  const words = args.join(' ').slice(0, maxWords)
  if (localCluster.test(words)) return undefined
  for (const { words: pattern, unless, fact } of own) {
    const match = pattern.exec(words)
    if (!match || unless?.test(words)) continue
    const detail = fact.detail.replace('$1', match[1]?.slice(0, 60) ?? 'it')
    const scope = fact.effect === 'database-command' && isTestRun(command) ? 'guarded' : fact.scope
    return { ...fact, detail, place, ...(scope !== undefined && { scope }) }
  }
  return undefined
}

const verifyOff = new Map([
  ['NODE_TLS_REJECT_UNAUTHORIZED', /^0$/],
  ['PYTHONHTTPSVERIFY', /^0$/],
  ['GIT_SSL_NO_VERIFY', /^(?:1|true)$/],
])

/** The variables that a command line sets. */
const variablesOf = ({ program, args, assignments }: Command) => [
  ...assignments,
  ...(program === 'export'
    ? plainArgs(args).map(arg => ({ name: arg.split('=')[0] ?? '', value: arg.split('=')[1] ?? '' }))
    : []),
]

const listsJobs = ({ program, args }: Command): boolean => program === 'crontab' && args.includes('-l')

/** True when the list of jobs was saved before: `crontab -l > jobs.bak && crontab new`. */
const hasSavedJobs = (after: readonly Command[]): boolean =>
  after.some(
    command => listsJobs(command) && command.redirects.some(({ operator }) => operator.includes('>')),
  )

const vitalProcess =
  /^(?:sshd?|systemd[\w-]*|dockerd?|containerd|kubelet|postgres(?:ql)?|mysqld?|mariadb|mongod|redis(?:-server)?|nginx|apache2|httpd|etcd|kafka|elasticsearch|haproxy|vault|consul)$/i

/** Accounts, machines and stores that PowerShell changes many at a time. */
const bulkChange =
  /^(?:(?:Disable|Reset|Revoke|Uninstall|Suspend|Unregister|Dismount)-(?:AD\w+|Mg\w+|Msol\w+|AzureAD\w+|LocalUser|Mailbox\w*|VM|Az[A-Z]\w+|EC2\w+|RDS\w+|Volume|Disk|ClusterNode)|Set-ADAccountPassword|Set-LocalUser|Stop-(?:VM|AzVM|EC2Instance)|Restart-(?:VM|AzVM|Computer))$/i

/** One object that is fetched by its name. */
const isNamed = ({ program, args }: Command): boolean =>
  /^Get-/i.test(program) &&
  !args.some(arg => /^-Filter$/i.test(arg)) &&
  args.some((arg, nth) =>
    nth === 0
      ? /^[\w.-]+$/.test(arg) && !arg.startsWith('-')
      : /^-(?:Name|Identity)$/i.test(args[nth - 1] ?? '') && !/[*?]/.test(arg),
  )

const isTrial = ({ args }: Command): boolean => args.some(arg => /^-WhatIf(?!:\$false)/i.test(arg))

const runsDownload =
  /\b(?:iex|Invoke-Expression)\b[^\n]{0,80}(?:DownloadString|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)|(?:DownloadString|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b[^\n]{0,200}\|\s{0,5}(?:iex|Invoke-Expression)\b/i

export const shellFacts: readonly Detector[] = [
  {
    id: 'cloud-delete',
    check: ({ commands }) => commands.flatMap(command => findRow(command) ?? []),
  },
  commandFact({
    id: 'security-off',
    see: command =>
      variablesOf(command).some(({ name, value }) => verifyOff.get(name)?.test(value)) &&
      'It stops checking who is at the other end.',
  }),
  commandFact({
    id: 'shell-cover-tracks',
    see(command) {
      if (
        variablesOf(command).some(({ name, value }) =>
          /^HIST(?:FILE=\/dev\/null|(?:FILE)?SIZE=0)$/.test(`${name}=${value}`),
        )
      )
        return 'It keeps no history.'
      return (
        command.redirects.some(({ operator, target }) => operator === '>' && /^\/var\/log\//.test(target)) &&
        'It empties a log.'
      )
    },
  }),
  commandFact({
    id: 'user-rights',
    see({ program, args, feeders, after }) {
      if (program !== 'crontab' || hasFlag(args, 'r')) return
      const isNew =
        args.includes('-') ||
        (args.length === 0 && feeders.length > 0) ||
        /^[\w./~$-]*\/[\w.-]+$/.test(args.at(-1) ?? '')
      return isNew && !hasSavedJobs(after) && narrow('It replaces every scheduled job.')
    },
  }),
  commandFact({
    id: 'host-stop',
    see({ program, args, inner, redirects }) {
      if (redirects.some(({ target }) => target === '/proc/sysrq-trigger'))
        return wide('It stops the machine at once.')
      if (program !== 'kill' || !/(?:^|\s)-(?:9|KILL|SIGKILL)\b/.test(args.join(' '))) return
      const victim = inner
        .filter(({ program }) => /^(?:pgrep|pidof)$/.test(program))
        .flatMap(({ args }) => plainArgs(args))
        .find(name => vitalProcess.test(name))
      return victim !== undefined && `It ends ${victim}.`
    },
  }),
  actFact({
    id: 'host-stop',
    see: ({ forkBombs }) =>
      forkBombs.map(place => ({ ...wide('A function starts itself twice, without end.'), place })),
  }),
  commandFact({
    id: 'container-danger',
    see: ({ program, args, inner, feeders }) =>
      /^(?:docker|podman|nerdctl)$/.test(program) &&
      args[0] === 'rm' &&
      hasFlag(args, 'f', 'force') &&
      [...inner, ...feeders].some(({ program }) => /^(?:docker|podman)$/.test(program)) &&
      'It stops and deletes every container.',
  }),
  commandFact({
    id: 'infrastructure-destroy',
    see({ program, args }, all) {
      const plan =
        args[0] === 'apply' && /^(?:terraform|tofu|terragrunt)$/.test(program) ? args.at(-1) : undefined
      const isDestroying = (other: Command) =>
        other.args[0] === 'plan' &&
        other.args.some(arg => /^--?destroy$/.test(arg)) &&
        other.args.some(arg => arg === plan || arg === `-out=${plan}`)
      return (
        plan !== undefined && commandsNamed(all, planners).some(isDestroying) && 'It destroys what it made.'
      )
    },
  }),
  commandFact({
    id: 'package-danger',
    see({ program, args, feeders }) {
      if (program === 'apt-key') return feeders.length > 0 && 'It trusts a key that it has just downloaded.'
      const [verb = '', ...names] = plainArgs(args)
      if (
        !/^(?:npm|pnpm|yarn|bun|npx|pip3?|uv|poetry)$/.test(program) ||
        !/^(?:install|i|add|pip)$/.test(verb)
      )
        return
      const ecosystem = /^(?:pip3?|uv|poetry)$/.test(program) ? 'pypi' : 'npm'
      const typo = names.map(name => ({ name, like: isTyposquat(name, ecosystem) })).find(({ like }) => like)
      return typo && wide(`${typo.name} is spelt almost as ${typo.like} is.`)
    },
  }),
  commandFact({
    id: 'powershell-danger',
    see(command, all) {
      const { program, args, feeders } = command
      if (isTrial(command)) return
      if (bulkChange.test(program))
        return (
          feeders.length > 0 && !feeders.some(isNamed) && partial(`It runs ${program} on whatever is found.`)
        )
      if (/^Remove-Item$/i.test(program))
        return (
          feeders.some(
            ({ program, args }) =>
              /^(?:Get-ChildItem|gci|dir|ls)$/i.test(program) &&
              args.some(arg =>
                /^(?:[A-Z]:[\\/]?|[A-Z]:[\\/](?:Users|Windows|Program\w*)[\\/]?|\/|~)$/i.test(arg),
              ),
          ) && 'It deletes what it finds on a drive.'
        )
      const isRun =
        /^(?:powershell|pwsh|Start-Process|msiexec|Invoke-Item|cmd)$/i.test(program) || args.length === 0
      return (
        isRun &&
        commandsNamed(all, windowsFetchers).some(other =>
          other.args.some(
            (arg, nth) =>
              /^-(?:OutFile|Destination)$/i.test(other.args[nth - 1] ?? '') &&
              (program === arg || args.includes(arg)),
          ),
        ) &&
        'It runs what it has just downloaded, unread.'
      )
    },
  }),
  actFact({
    id: 'shell-run-download',
    see: ({ kind, text }) =>
      kind === 'commands' &&
      runsDownload.test(text.slice(0, 20_000)) &&
      'It runs what another machine sends, unread.',
  }),
]
