import { readAmount } from '../read/amounts.ts'
import type { DiffFile } from '../read/lines.ts'
import type { Setting } from '../read/settings.ts'
import { type Hit, type Rule, settingRule, wholeRule } from '../rule.ts'

const nowhere =
  /^(?:none|null|~|nobody|no_?one|dev_?null|\/dev\/null|black_?hole|void|noop|silent|drop|discard|never|ignore|"")$/i

/** Ways to people who must hear of something, and what is done when danger is seen. */
const calls =
  /(?:^|[._])(?:notify|notification(?:s|_channel)?|receiver|pager\w*|on_?call|escalat\w*|alert_?(?:to|email|channel|manager|target)|contact_?(?:point|group)?|recipients?|on_(?:trigger|alarm|fire|fault|failure|error|overheat|overtemp|leak|trip)|alarm_?(?:actions?|target|output)|action_on_\w+)(?:[._]\d+)?$/

const quiets = (setting: Setting): string | undefined =>
  !setting.isRemoved && calls.test(setting.path) && nowhere.test(setting.value)
    ? `Nobody hears of it any more (${setting.path}: ${setting.value})`
    : undefined

/** What ends it when it gets too hot, too fast or too full. */
const lastStop =
  /(?:^|[._])(?:\w*cut_?off\w*|\w*interlock\w*|over_?(?:temp|heat|current|pressure|speed|fill)\w*|fail_?safe\w*|watchdog\w*|emergency_?stop\w*|e_?stop|safety(?:[._]\w+)+|anti_?scald\w*|leak_?(?:detection|shutoff)\w*|\w*(?:obstruction|smoke|gas|flame|fire|pressure|presence|light_?curtain|door|level|temp(?:erature)?|co2?)_?(?:sensors?|detect(?:or|ion)s?)|dead_?man\w*)(?:[._]enabled?)?$/

const exits = /(?:exit|door|fire|stairwell|escape|hatch|gate|emergency|evacuat)/
const locked = /^(?:fail_?locked|fail_?secure|fail_?closed|locked|lock(?:_all)?|stay_locked|closed)$/i

const numberLine =
  /^\s*["']?([\w.-]{1,60})["']?\s*[:=]\s*["']?(-?\d{1,9}(?:\.\d{1,6})?)["']?\s*,?\s*(?:[#;].*)?$/

const readNumbers = (file: DiffFile, change: 'added' | 'removed'): Map<string, number> =>
  new Map(
    file.lines.flatMap(line => {
      const [, key, value] = line.change === change ? (numberLine.exec(line.text) ?? []) : []
      return key === undefined ? [] : [[key.toLowerCase(), Number(value)] as const]
    }),
  )

const guards = /alarm|alert|trip|interlock|warn|safety|critical|watchdog|fault|thermal|sensor/i

/** A bound of an alarm that is put so far out that nothing reaches it. */
const findWidened = (file: DiffFile): string | undefined => {
  if (!file.lines.some(({ text, change }) => change !== 'removed' && guards.test(text))) return undefined
  const before = readNumbers(file, 'removed')
  for (const [key, now] of readNumbers(file, 'added')) {
    const was = before.get(key)
    if (was === undefined || was === now || now > 1e8) continue
    const isHigh =
      /trip|over(?:speed|temp|load|current|pressure)|(?:^|[_.-])(?:high|max|upper|hi|above|over|ceiling|threshold|limit)\w*|(?:high|max|upper)$/.test(
        key,
      )
    const isLow = /(?:^|[_.-])(?:low|min|lower|lo|below|under|floor)\w*|(?:low|min|lower)$/.test(key)
    const size = Math.max(Math.abs(was), 1)
    if (isHigh && !isLow && now - was >= 1.5 * size) return `${key} goes from ${was} to ${now}.`
    if (isLow && !isHigh && was - now >= 1.5 * size) return `${key} goes from ${was} to ${now}.`
  }
  return undefined
}

const record = /audit|cloudtrail|compliance|evidence|archive|backup|ledger|invoice|forensic|siem/i
const lifetime =
  /(?:expiration\.days|expire_?after_?days|retention(?:_in)?_?(?:days|period)?|(?:max|log)_?age_?(?:days)?|keep_?days|noncurrentdays|rotate_?days|ttl_?days|delete\.min_age|(?:delete|expire|purge)_?after|keep_?for|older_?than)$/

/** Less than a week, with its unit. */
const isShortTime = (value: string): boolean => {
  const amount = readAmount(value)
  return amount?.unit === 'seconds' && amount.size > 0 && amount.size < 604_800
}

/** Alarms that nobody hears, records that do not last, jobs and services with more rights than they need. */
export const alarmRules: readonly Rule[] = [
  settingRule({
    id: 'config-alarm-muted',
    category: 'configuration',
    severity: 'high',
    fix: 'Mend what rings, and leave the alarm as it was.',
    hits: [
      'route:\n  receiver: devnull',
      '[alarm]\nnotify = none',
      'fire_alarm:\n  on_trigger: none',
      'boiler:\n  overtemp_cutoff: disabled',
      '[safety]\nlow_glucose_suspend = false',
      '[lift]\ndoor_obstruction_sensor = bypass',
      'power_loss:\n  exit_doors: fail_locked',
    ],
    misses: [
      'route:\n  receiver: pagerduty',
      '[alarm]\nnotify = pharmacist',
      'fire_alarm:\n  on_trigger: unlock_all_exits',
      'power_loss:\n  exit_doors: fail_open',
      'vault:\n  door: locked',
    ],
    see: setting =>
      quiets(setting) ??
      (!setting.isRemoved &&
      lastStop.test(setting.path) &&
      /^(?:off|false|no|0|none|disabled?|never|bypass(?:ed)?|ignored?|overrid(?:e|den)|simulated?|forced|jumpered)$/i.test(
        setting.value,
      )
        ? `Nothing ends it any more (${setting.path}: ${setting.value})`
        : undefined) ??
      (!setting.isRemoved &&
      exits.test(setting.key) &&
      /power|fire|alarm|fail|emergency|loss/.test(setting.path) &&
      locked.test(setting.value)
        ? `A way out stays shut (${setting.path}: ${setting.value})`
        : undefined),
  }),
  wholeRule({
    id: 'config-alarm-widened',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Keep the bound that protects, and mend what makes it ring.',
    hits: ['--- a/fridge.ini\n+++ b/fridge.ini\n@@ -1 +1 @@\n [alarm]\n-high_c = 8.0\n+high_c = 30.0'],
    misses: [
      '--- a/fridge.ini\n+++ b/fridge.ini\n@@ -1 +1 @@\n [alarm]\n-high_c = 30.0\n+high_c = 8.0',
      '--- a/alerts.yml\n+++ b/alerts.yml\n@@ -1 +1 @@\n alert: disk\n-threshold: 80\n+threshold: 85',
      '--- a/pool.ini\n+++ b/pool.ini\n@@ -1 +1 @@\n [pool]\n-max = 8\n+max = 30',
    ],
    see: ({ files }) =>
      files.flatMap((file): Hit[] => {
        const detail = findWidened(file)
        return detail === undefined
          ? []
          : [{ detail: `An alarm is put out of reach: ${detail}`, place: { file: file.name } }]
      }),
  }),
  wholeRule({
    id: 'config-records-short',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Keep records as long as the law and the auditors ask.',
    hits: [
      '{"Bucket":"audit-logs","Rules":[{"Expiration":{"Days":1}}]}',
      'audit:\n  retention_days: 3',
      '# policy for audit-*\n{"delete": {"min_age": "2d"}}',
    ],
    misses: [
      '{"Bucket":"audit-logs","Rules":[{"Expiration":{"Days":2555}}]}',
      '{"Bucket":"tmp-uploads","Rules":[{"Expiration":{"Days":1}}]}',
      'audit:\n  retention_days: 400',
      '# policy for audit-*\n{"delete": {"min_age": "400d"}}',
      '# policy for thumbnails, not the audit log\n{"delete": {"min_age": "2d"}}',
    ],
    see: ({ settings, text }) => {
      const title = /^\s{0,20}(?:#|\/\/|;|<!--)[^\n]{0,300}/.exec(text)?.[0] ?? ''
      const isOfRecords =
        record.test(text.slice(0, 8000).replace(/^\s*(?:#|\/\/).*$/gm, '')) ||
        (record.test(title) && !/\b(?:no|not|never|unlike|except|without)\b/i.test(title))
      const short = settings.find(
        ({ path, value, isRemoved }) =>
          !isRemoved &&
          lifetime.test(path) &&
          ((/^\d{1,2}d?$/.test(value) && Number.parseInt(value, 10) < 7) || isShortTime(value)) &&
          (record.test(path) || isOfRecords),
      )
      return short && { detail: `Records go after ${short.value} days (${short.path}).`, place: short.place }
    },
  }),
  settingRule({
    id: 'config-workflow-rights',
    category: 'configuration',
    severity: 'high',
    fix: 'Give the job read rights; run code of strangers without secrets.',
    hits: [
      'on:\n  push:\njobs:\n  a:\n    permissions: write-all',
      'on:\n  pull_request_target:\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: x/github.event.pull_request.head.sha',
    ],
    misses: [
      'on:\n  pull_request:\npermissions:\n  contents: read',
      'on:\n  pull_request:\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4',
    ],
    see: ({ path, value, isRemoved }, { text }) => {
      if (isRemoved) return undefined
      if (/(?:^|\.)permissions$/.test(path) && value === 'write-all') return 'The job may write everything.'
      return (
        /\.with\.ref$/.test(path) &&
        /head\.(?:sha|ref)|head_ref/.test(value) &&
        /pull_request_target/.test(text.slice(0, 20_000)) && {
          detail: 'Code of a stranger runs with the secrets of the repository.',
          severity: 'blocker' as const,
        }
      )
    },
  }),
  settingRule({
    id: 'config-service-rights',
    category: 'configuration',
    severity: 'high',
    fix: 'Let the service run as an account of its own, confined.',
    hits: [
      '[Service]\nUser=root\nExecStart=/opt/a',
      '[Service]\nNoNewPrivileges=false',
      '[Service]\nProtectSystem=no',
    ],
    misses: [
      '[Service]\nUser=app\nExecStart=/opt/a',
      '[Service]\nNoNewPrivileges=true',
      '[Service]\nProtectSystem=strict',
    ],
    see: ({ path, value, isRemoved }) => {
      if (isRemoved || !/^service\./.test(path)) return undefined
      if (/\.user$/.test(path) && /^(?:root|0)$/.test(value)) return 'The service runs as root.'
      return (
        /\.(?:nonewprivileges|protectsystem|protecthome|privatetmp|restrictsuidsgid|memorydenywriteexecute|protectkernel\w+)$/.test(
          path,
        ) &&
        /^(?:false|no|off|0)$/i.test(value) &&
        `The service is no longer confined (${path}).`
      )
    },
  }),
]
