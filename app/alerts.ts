import type { Sample } from '../mcp/kernel/observe.ts'
import rows from '../ops/alerts.json' with { type: 'json' }

type Comparison = { op: string; value: number }

/** One thing that an operator is told: when, why, and what helps. `ops/alerts.yaml`, the docs, `/readyz` and doctor come from it. */
export type Alert = Comparison & {
  name: string
  metric: string
  labels?: Readonly<Record<string, readonly string[]>>
  and?: Comparison
  /** It follows from another alert that holds for the same labels, and is left out then. */
  unless?: { alert: string; on: readonly string[] }
  /** The window in which a counter has to grow, such as `15m`; without it the value itself is compared. */
  increase?: string
  /** How long it has to hold before Prometheus tells. */
  for: string
  severity: string
  summary: string
  cause: string
  cure: string
}

export const alerts: readonly Alert[] = rows as readonly Alert[]

/** An alert that holds now, and for what. */
export type Firing = Pick<Alert, 'name' | 'severity' | 'summary' | 'cure'> & { labels: Sample['labels'] }

const holds = ({ op, value: limit }: Comparison, value: number): boolean => {
  if (op === '==') return value === limit
  return op === '<' ? value < limit : value > limit
}

const isMeant = ({ metric, labels = {} }: Alert, sample: Sample): boolean =>
  sample.metric === metric &&
  Object.entries(labels).every(([name, values]) => values.includes(String(sample.labels[name])))

const keyOf = ({ metric, labels }: Sample): string => `${metric}${JSON.stringify(labels)}`

type Before = (window: string) => ReadonlyMap<string, number>

const findLabels = (alert: Alert, samples: readonly Sample[], before: Before): Sample['labels'][] => {
  const { increase, and } = alert
  const start = increase === undefined ? undefined : before(increase)
  return samples.flatMap(sample => {
    if (!isMeant(alert, sample)) return []
    const value = sample.value - (start?.get(keyOf(sample)) ?? 0)
    return holds(alert, value) && (!and || holds(and, value)) ? [sample.labels] : []
  })
}

const getAlert = (name: string): Alert => {
  const alert = alerts.find(each => each.name === name)
  if (!alert) throw new Error(`there is no alert ${name}`)
  return alert
}

/** The alerts that hold for some samples; `before` has what counters were at the beginning of a window. */
const findFiring = (samples: readonly Sample[], before: Before): Firing[] =>
  alerts.flatMap(alert => {
    const { name, severity, summary, cure, unless } = alert
    const causes = unless ? findLabels(getAlert(unless.alert), samples, before) : []
    const follows = (labels: Sample['labels']) =>
      unless !== undefined && causes.some(cause => unless.on.every(label => cause[label] === labels[label]))
    return findLabels(alert, samples, before)
      .filter(labels => !follows(labels))
      .map(labels => ({ name, severity, summary, cure, labels }))
  })

const minutesOf = (window: string): number => Number.parseInt(window, 10) * (window.endsWith('h') ? 60 : 1)

const maxMinutes = Math.max(...alerts.map(({ increase = '0m' }) => minutesOf(increase)))

const countedMetrics = new Set(
  alerts.flatMap(({ increase, metric }) => (increase === undefined ? [] : [metric])),
)

/**
 * Looks at the alerts of this replica as Prometheus does, without its waiting times. What counters were is noted once a minute. `now` and
 * `tickMs` are for tests.
 */
export const openAlerts = (
  samples: () => Promise<Sample[]>,
  { now = Date.now, tickMs = 60_000 }: { now?: () => number; tickMs?: number } = {},
) => {
  let history: { at: number; values: ReadonlyMap<string, number> }[] = []

  const note = async (): Promise<void> => {
    const values = new Map<string, number>()
    for (const sample of await samples())
      if (countedMetrics.has(sample.metric)) values.set(keyOf(sample), sample.value)
    const at = now()
    const oldest = at - (maxMinutes + 1) * 60_000
    history = [...history.filter(entry => entry.at >= oldest), { at, values }]
  }

  const before = (window: string): ReadonlyMap<string, number> => {
    const start = now() - minutesOf(window) * 60_000
    return history.findLast(({ at }) => at <= start)?.values ?? new Map()
  }

  const timer = setInterval(() => void note().catch(() => undefined), tickMs)
  timer.unref()
  return {
    firing: async (): Promise<Firing[]> => findFiring(await samples(), before),
    note,
    close: () => clearInterval(timer),
  }
}

const selector = ({ metric, labels = {} }: Alert): string => {
  const parts = Object.entries(labels).map(([name, values]) => `${name}=~"${values.join('|')}"`)
  return parts.length === 0 ? metric : `${metric}{${parts.join(',')}}`
}

/** The condition in PromQL. A counter that is new has grown, which `increase` does not see. */
export const toExpression = (alert: Alert): string => {
  const { increase, op, value, and, unless } = alert
  const series = selector(alert)
  if (increase !== undefined)
    return `increase(${series}[${increase}]) ${op} ${value} or (${series} ${op} ${value} unless ${series} offset ${increase})`
  const own = `${series} ${op} ${value}`
  const whole = and ? `${own} and ${series} ${and.op} ${and.value}` : own
  if (!unless) return whole
  return `${whole} unless on (${unless.on.join(', ')}) (${toExpression(getAlert(unless.alert))})`
}

const toRule = (alert: Alert): string => `      - alert: ${alert.name}
        expr: ${JSON.stringify(toExpression(alert))}
        for: ${alert.for}
        labels:
          severity: ${alert.severity}
        annotations:
          summary: ${JSON.stringify(alert.summary)}
          description: ${JSON.stringify(`${alert.cause} ${alert.cure}`)}
`

/** `ops/alerts.yaml`: rules for Prometheus, with the one that only Prometheus can see. */
export const alertRules =
  (): string => `# Written by \`octagent docs\` from ops/alerts.json. The job of the scrape has to be called octagent.
groups:
  - name: octagent
    rules:
      - alert: OctagentDown
        expr: "up{job=\\"octagent\\"} == 0"
        for: 1m
        labels:
          severity: page
        annotations:
          summary: "A replica does not answer."
          description: "It has ended, hangs, or OCTAGENT_METRICS_TOKEN is another one. Its last lines in the log say why; the supervisor starts it again."
${alerts.map(toRule).join('')}`

const begin = '<!-- alerts: written by `octagent docs` -->'
const end = '<!-- /alerts -->'

/** The page of operations with the table of alerts as it is now. */
export const withAlerts = (page: string): string => {
  const [before, rest = ''] = page.split(begin)
  const after = rest.split(end)[1]
  if (after === undefined) throw new Error(`docs/operations.md lacks ${begin} and ${end}`)
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const lines = alerts.map(
    ({ name, severity, summary, cause, cure }) =>
      `| \`${name}\` | ${severity} | ${cell(summary)} | ${cell(cause)} | ${cell(cure)} |`,
  )
  return `${before}${begin}\n| alert | severity | what it says | cause | cure |\n|---|---|---|---|---|\n${lines.join('\n')}\n${end}${after}`
}
