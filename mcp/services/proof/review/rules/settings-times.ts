import { growth, readAmount } from '../read/amounts.ts'
import { type Hit, type Rule, settingRule, wholeRule } from '../rule.ts'

const field = '(?:\\*|\\d{1,2}(?:[-,/]\\d{1,2}){0,12}|\\*/\\d{1,2}|\\?|L|[A-Za-z]{3}(?:[-,][A-Za-z]{3}){0,6})'
/** Five fields of cron behind the beginning of a row, a quote or a key. */
const cronForm = new RegExp(
  `(?:^[+ \\t]{0,20}|["'(]|\\b(?:cron|schedule|spec|expression)\\w{0,12}["']?\\s{0,3}[:=]\\s{0,3})(${field})[ \\t]{1,8}(${field})[ \\t]{1,8}(${field})[ \\t]{1,8}(${field})[ \\t]{1,8}(${field})(?=[ \\t"')]|$)`,
)

const isOne = (value: string): boolean => /^(?:\d{1,2}|[A-Za-z]{3}|L)$/.test(value)

/** Whether it runs each minute of an hour or of a day that is named: who names one wants one run. */
const runsByTheMinute = (row: string): string | undefined => {
  const [, minute = '', hour = '', day = '', month = '', weekday = ''] = cronForm.exec(row) ?? []
  if (minute !== '*' && minute !== '*/1') return undefined
  if (isOne(hour)) return `${minute} ${hour} ${day} ${month} ${weekday} runs in each minute of that hour.`
  return hour === '*' && (isOne(day) || isOne(month))
    ? `${minute} ${hour} ${day} ${month} ${weekday} runs in each minute of that day.`
    : undefined
}

const lastBound = /([<>]=?)\s{0,3}(-?\d{1,12}(?:\.\d{1,9})?)\s*(?:$|\band\b|\bor\b|\bfor\b)/

/** The bound of an expression that rings when it is passed, and in which direction. */
const readBound = (expression: string) => {
  const match = lastBound.exec(expression.slice(0, 1000))
  return (
    match && {
      measures: expression.slice(0, match.index).trim(),
      isUpper: match[1]?.startsWith('>') ?? true,
      bound: Number(match[2]),
    }
  )
}

const ringKey =
  /^(?:expr|expression|query|condition|threshold\w*|for|pending_?for|pending_?period|evaluation_periods|group_wait|delay|hold|severity|priority|urgency|level)$/

const urgency = (value: string): number | undefined => {
  if (/^(?:page|critical|crit|emergency|fatal|p1|sev-?[01]|high|urgent|error)$/i.test(value)) return 3
  if (/^(?:warn(?:ing)?|p2|p3|sev-?2|medium|ticket)$/i.test(value)) return 2
  return /^(?:info(?:rmational)?|none|low|debug|notice|p[45]|sev-?[345]|silent)$/i.test(value) ? 1 : undefined
}

/** When jobs run, and when alarms ring. */
export const timeRules: readonly Rule[] = [
  wholeRule({
    id: 'config-cron-minute',
    category: 'configuration',
    type: 'config_change',
    severity: 'high',
    fix: 'Write the minute, and for a day the hour too.',
    hits: [
      '* 3 * * * root /opt/report/send',
      '* * 1 * * billing /opt/invoice/run',
      'schedule: "* 2 * * *"\nconcurrencyPolicy: Allow',
      'on:\n  schedule:\n    - cron: "* 4 * * 1"',
      '--- a/crontab\n+++ b/crontab\n@@ -1 +1 @@\n-0 3 * * * /opt/a\n+* 3 * * * /opt/a',
      { type: 'general', artifact: '* 3 * * * root /usr/local/bin/charge' },
      'schedule_expression = "cron(* 8 1 * ? *)"',
    ],
    misses: [
      '0 3 * * * root /opt/report/send',
      '* * * * * root /opt/queue/tick',
      '*/5 3 * * * root /opt/queue/tick',
      '* 9-17 * * 1-5 root /opt/queue/tick',
      'schedule: "17 2 1 * *"',
      '--- a/crontab\n+++ b/crontab\n@@ -1 +1 @@\n-* 3 * * * /opt/a\n+0 3 * * * /opt/a',
      '| * 3 * 4 * 5 |',
    ],
    see: ({ lines, type }) =>
      /^(?:config_change|general|code_diff|patch)$/.test(type)
        ? lines.flatMap(({ text, change, isProse, place }): Hit[] => {
            // A row that begins with a star is not a comment here.
            const isComment = /^\s*(?:#|\/)/.test(text)
            const detail =
              change === 'removed' ||
              change === 'context' ||
              isComment ||
              (isProse && !/^\S+(?: \S+){4} .*\//.test(text)) ||
              !text.includes('*')
                ? undefined
                : runsByTheMinute(text.slice(0, 400))
            return detail === undefined ? [] : [{ detail, place }]
          })
        : [],
  }),
  settingRule({
    id: 'config-alarm-late',
    category: 'configuration',
    severity: 'high',
    fix: 'Keep the bound, the wait and the urgency that call somebody in time.',
    hits: [
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-expr: rate(errors[5m]) > 0.02\n+expr: rate(errors[5m]) > 0.9',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-for: 5m\n+for: 12h',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-labels: {severity: page}\n+labels: {severity: info}',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: FreezerWarm\n-expr: temp > -15\n+expr: temp > 15',
      'alert oxygen low\n  severity  critical -> info',
      'alert: DiskFree\nexpr: node_free < 5\nfor: 24h # was 10m',
    ],
    misses: [
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-expr: rate(errors[5m]) > 0.02\n+expr: rate(errors[5m]) > 0.03',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-for: 1m\n+for: 5m',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-labels: {severity: info}\n+labels: {severity: page}',
      '--- a/r.yml\n+++ b/r.yml\n@@ -1,2 +1,2 @@\n alert: ErrorsHigh\n-expr: rate(errors[1m]) > 0\n+expr: rate(errors[5m]) / rate(all[5m]) > 0.02',
      '--- a/job.yml\n+++ b/job.yml\n@@ -1,2 +1,2 @@\n name: sync\n-for: 5m\n+for: 12h',
    ],
    see({ path, key, value, was, isRemoved }, { text }) {
      if (isRemoved || was === undefined || !ringKey.test(key)) return undefined
      if (!/\b(?:alert|alarm|monitor)/i.test(text.slice(0, 20_000))) return undefined
      const change = `${path}: ${was.slice(0, 60)} to ${value.slice(0, 60)}`
      if (/^(?:expr|expression|query|condition|threshold\w*)$/.test(key)) {
        const [before, after] = [readBound(was), readBound(value)]
        if (!before || !after || before.isUpper !== after.isUpper || before.measures !== after.measures)
          return undefined
        const times = before.bound > 0 ? after.bound / before.bound : 1
        const further = before.bound === 0 ? 0 : (after.bound - before.bound) / Math.abs(before.bound)
        return (
          (before.isUpper ? times >= 3 || further >= 2 : times <= 1 / 3 || further <= -2) &&
          `The alarm is out of reach (${change})`
        )
      }
      if (/^(?:for|pending_?for|pending_?period|evaluation_periods|group_wait|delay|hold)$/.test(key)) {
        const times = growth(was, value)
        const seconds = readAmount(value)
        return (
          times !== undefined &&
          times >= 6 &&
          (seconds?.unit !== 'seconds' || seconds.size >= 3600) &&
          `The alarm waits too long (${change})`
        )
      }
      if (!/^(?:severity|priority|urgency|level)$/.test(key)) return undefined
      const [before, after] = [urgency(was), urgency(value)]
      return before === 3 && after === 1 && `Nobody is called any more (${change})`
    },
  }),
]
