import { type AnyEndpoint, endpoint } from '../../../kernel/endpoint.ts'
import { countText } from '../../../lib/text/count.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { AnalyticsOut } from '../analytics.ts'
import type { WorkOut } from '../work-analytics.ts'
import { dataTable, personLink, toPercent, toShortAccount, toWords } from './facts.ts'
import { page, signInBox } from './page.ts'

type Work = NonNullable<(typeof WorkOut)['_output']>
type Worker = Work['workers'][number]
type Analytics = (typeof AnalyticsOut)['_output'] & { work: Work | null }

/** One chart: what is counted, in which unit, and the bars. `null` is what there is nothing to count of. */
type Chart = { title: string; unit: string; bars: readonly { name: string; value: number | null }[] }

const rowHeight = 28
// As wide as a phone shows it: a larger one would be scaled down, its words with it.
const labelWidth = 126
const barWidth = 168
const chartWidth = labelWidth + barWidth + 52

const toText = (value: number | null): string => {
  if (value === null) return 'none'
  return String(Math.abs(value) < 1 ? Number(value.toPrecision(2)) : Math.round(value * 100) / 100)
}

/** The name of a bar, as short as its place. */
const toLabel = (name: string): string => (name.startsWith('eip155:') ? toShortAccount(name) : name)

/** A bar chart as SVG; the table below it says the same to who does not see it. */
const barChart = ({ title, unit, bars }: Chart): Html => {
  const max = Math.max(1e-9, ...bars.map(({ value }) => value ?? 0))
  const height = bars.length * rowHeight
  const label = `${title}: ${bars.map(({ name, value }) => `${name} ${toText(value)}`).join(', ')}`
  return html`<figure><svg viewBox="0 0 ${chartWidth} ${height}" width="${chartWidth}" height="${height}" role="img" aria-label="${label}">${bars.map(
    ({ name, value }, at) => {
      const y = at * rowHeight
      const width = Math.max(value ? 2 : 0, ((value ?? 0) / max) * barWidth)
      return html`<text x="${labelWidth - 8}" y="${y + 19}" text-anchor="end">${toLabel(name)}</text><rect class="bar" x="${labelWidth}" y="${y + 6}" width="${width.toFixed(1)}" height="18" rx="2"></rect><text x="${(labelWidth + width + 6).toFixed(1)}" y="${y + 19}">${toText(value)}</text>`
    },
  )}</svg></figure>
<details><summary>${title} as a table</summary>${dataTable(
    `${title}, ${unit}`,
    ['', unit],
    bars.map(({ name, value }) => [name, toText(value)]),
  )}</details>`
}

const toHours = (seconds: number | null): number | null => (seconds === null ? null : seconds / 3600)

const toHundredths = (rate: number | null): number | null => (rate === null ? null : rate * 100)

/** Workers side by side, each by one figure; none where there are no workers. */
const toWorkCharts = (work: Analytics['work']): readonly Chart[] => {
  const chart = (title: string, unit: string, value: (row: Worker) => number | null) => ({
    title,
    unit,
    bars: (work?.workers ?? []).map(row => ({ name: row.executor_id, value: value(row) })),
  })
  return [
    chart('Completed by each worker', 'tasks', row => row.completed),
    chart('Completed of what ended, by worker', 'per cent', row => toHundredths(row.completion_rate)),
    chart('Handed in on time, by worker', 'per cent', row => toHundredths(row.on_time_rate)),
    chart('Accepted, by worker', 'per cent', row => toHundredths(row.acceptance_rate)),
    chart('Median time to hand in, by worker', 'hours', row => toHours(row.median_seconds)),
    chart('Known answers given, by worker', 'answers', row => row.golden_right),
  ]
}

const toCharts = ({ tasks, times, categories, spend, bounty }: Analytics): readonly Chart[] => [
  {
    title: 'Tasks by state',
    unit: 'tasks',
    bars: Object.entries(tasks).map(([name, value]) => ({ name: toWords(name), value })),
  },
  {
    title: 'Median time of each step',
    unit: 'hours',
    bars: Object.entries(times).map(([name, { median_seconds }]) => ({
      name: toWords(name),
      value: toHours(median_seconds),
    })),
  },
  {
    title: 'Nine of ten are done within',
    unit: 'hours',
    bars: Object.entries(times).map(([name, { p90_seconds }]) => ({
      name: toWords(name),
      value: toHours(p90_seconds),
    })),
  },
  {
    title: 'Published by kind of work',
    unit: 'tasks',
    bars: Object.entries(categories).map(([name, { published }]) => ({
      name: toWords(name),
      value: published,
    })),
  },
  {
    title: 'Money',
    unit: 'USD',
    bars: [
      { name: 'paid to workers', value: Number(spend.released_usd) },
      { name: 'came back', value: Number(spend.refunded_usd) },
      { name: 'fees', value: Number(spend.fees_usd) },
      { name: 'median bounty', value: bounty.median_usd === null ? null : Number(bounty.median_usd) },
    ],
  },
]

const chartSection = (chart: Chart): Html | false =>
  chart.bars.length > 0 && html`<section><h2>${chart.title}</h2>${barChart(chart)}</section>`

const toDays = (days: string | undefined): number =>
  /^(?:7|30|90|365)$/.test(days ?? '') ? Number(days) : 30

/** Workers side by side, and how far several of them agree. */
const workSection = (base: string, work: Work): Html | false => {
  const { workers, agreement } = work
  if (workers.length === 0) return false
  const few = { ...work, workers: workers.slice(0, 15) }
  return html`<section><h2>Workers</h2>
${dataTable(
  'Workers of your tasks',
  ['Who', 'Had', 'Completed', 'On time', 'Accepted', 'Median, hours', 'Known answers'],
  workers.map(row => [
    personLink(base, row.executor_id),
    String(row.assigned),
    String(row.completed),
    toPercent(row.on_time_rate),
    toPercent(row.acceptance_rate),
    toText(toHours(row.median_seconds)),
    row.golden_answered === 0 ? '–' : `${row.golden_right} of ${row.golden_answered} right`,
  ]),
)}</section>
${workers.length > 1 && toWorkCharts(few).map(chartSection)}
${
  agreement.tasks > 0 &&
  html`<section><h2>Agreement</h2><p>Krippendorff's alpha of ${agreement.answers} answers to ${countText(agreement.tasks, 'task')}: <strong>${agreement.alpha === null ? 'nothing varies' : String(agreement.alpha)}</strong>.</p>
${dataTable(
  'What most answered',
  ['Task', 'Answers', 'Majority', 'Of them'],
  agreement.majorities.map(row => [
    html`<a href="${base}/publish/tasks/${row.task_id}">${row.task_id}</a>`,
    String(row.answers),
    row.majority ?? 'a tie',
    toPercent(row.share),
  ]),
)}</section>`
}`
}

/** Rates, times, bounties and spending of a publisher, as charts with their tables. */
export const analyticsPage = page(
  {
    name: 'publish_analytics_page',
    title: 'Analytics, for people',
    description:
      'A page with the rates, times, bounties and spending of a signed-in publisher, as charts and tables. Free.',
    path: '/publish/analytics',
  },
  async visit => {
    const { account, call, base, query } = visit
    const title = 'Analytics'
    if (account === undefined)
      return {
        title,
        body: html`<h1>Analytics</h1>${signInBox(visit, 'Sign in to see what became of your tasks.')}`,
      }
    const days = toDays(query.days)
    const analytics = (await call('task_analytics', { scope: 'mine', days })) as Analytics
    return {
      title,
      body: html`<h1>Analytics</h1>
<p>${analytics.from} to ${analytics.to}. ${[7, 30, 90, 365].map(each => html`<a href="${base}/publish/analytics?days=${each}"${each === days && html` aria-current="true"`}>${each} days</a> `)}</p>
<p>Completed of all that ended: <strong>${toPercent(analytics.completion_rate)}</strong>. Disputed of all that were handed in: <strong>${toPercent(analytics.dispute_rate)}</strong>.</p>
${toCharts(analytics).map(chartSection)}
${analytics.work && workSection(base, analytics.work)}
<p><a href="${base}/publish/analytics.csv?days=${days}">Download as CSV</a></p>`,
    }
  },
)

/** A field of RFC 4180. What a spreadsheet would take for a formula is quoted as text. */
const toField = (value: string | number): string => {
  const text = String(value)
  return /^[=+@-]|[",\n]/.test(text) && !/^-?[\d.]+$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const analyticsFile: AnyEndpoint = endpoint({
  name: 'publish_analytics_file',
  title: 'Analytics as CSV',
  description:
    'The analytics of a signed-in publisher as CSV: chart, name, value and unit of each figure, those of each worker and what most answered among them. Free.',
  method: 'GET',
  path: '/publish/analytics.csv',
  body: 'none',
  answers: ['text/csv'],
  needs: [],
  auth: ['public', 'erc8128', 'apiKey'],
  visit: true,
  limits: [{ perMinute: 60, per: 'client' }],
}).run(async ({ call }, { query }) => {
  const analytics = (await call('task_analytics', { scope: 'mine', days: toDays(query.days) })) as Analytics
  const charts = [...toCharts(analytics), ...toWorkCharts(analytics.work)]
  const { alpha = null, majorities = [] } = analytics.work?.agreement ?? {}
  const rows = [
    ['chart', 'name', 'value', 'unit'],
    ...charts.flatMap(({ title, unit, bars }) =>
      bars.map(({ name, value }) => [title, name, value === null ? '' : toText(value), unit]),
    ),
    ...(majorities.length > 0 ? [['Agreement', "Krippendorff's alpha", alpha ?? '', '']] : []),
    ...majorities.map(({ task_id, majority }) => ['What most answered', task_id, majority ?? '', 'answer']),
  ]
  const lines = rows.map(row => row.map(toField).join(','))
  return {
    kind: 'bytes',
    type: 'text/csv; charset=utf-8',
    bytes: Buffer.from(`${lines.join('\r\n')}\r\n`),
    headers: { 'Content-Disposition': 'attachment; filename="task-analytics.csv"' },
  }
})
