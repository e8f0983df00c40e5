import { document } from '../../kernel/document.ts'
import { ToolError } from '../../kernel/error.ts'
import type { FilingFact, Year } from './filings/analyse.ts'
import { filings, readTicket } from './filings/port.ts'
import { shortNumber, toBarsSvg } from './pages/bars-svg.ts'
import { formatNumber, plainWords } from './pages/words.ts'

const charts = [
  ['revenue', 'Revenue'],
  ['net_income', 'Net income'],
  ['assets', 'Assets'],
  ['equity', 'Equity'],
] as const

const cell = (fact: FilingFact | null): string => {
  if (!fact) return '–'
  const amount = shortNumber(fact.value)
  return /^https:\/\/[\w./-]+$/.test(fact.url) ? `[${amount}](${fact.url})` : amount
}

const toTable = (
  years: readonly Year[],
): string => `| Year to | ${years.map(({ period_end }) => period_end).join(' | ')} |
|---|${'---|'.repeat(years.length)}
${charts
  .map(([metric, name]) => `| ${name} | ${years.map(({ metrics }) => cell(metrics[metric])).join(' | ')} |`)
  .join('\n')}
${Object.keys(years[0]?.ratios ?? {})
  .map(
    name =>
      `| ${name.replaceAll('_', ' ')} | ${years.map(({ ratios }) => formatNumber(ratios[name as keyof Year['ratios']].value)).join(' | ')} |`,
  )
  .join('\n')}
`

export default document({
  path: '/filings/:ticket',
  title: 'Filings of a company',
  description:
    'What a paid call of filings returned, with small charts, for thirty days: its page_url leads here.',
  needs: ['sign', 'clock', 'workers', filings],
}).render(async ({ sign, clock, workers, filings, params: { ticket: text = '' } }) => {
  const ticket = readTicket(sign, text, clock.now())
  if (!ticket)
    throw new ToolError('not_found', 'This page is not there, or no more.', {
      hint: 'page_url of a paid call of filings leads to one, for thirty days.',
    })
  const { numbers, fetchedAt, stale } = await filings.numbers(ticket.cik, workers)
  const years = numbers.years.slice(0, ticket.tier === 'index' ? 1 : ticket.years)
  const inOrder = [...years].reverse()
  const figures = Object.fromEntries(
    charts.map(([metric, name]) => {
      const bars = inOrder.map(({ period_end, metrics }) => ({
        label: period_end.slice(0, 4),
        value: metrics[metric]?.value ?? null,
      }))
      const about = bars.map(({ label, value }) => `${label} ${value ?? 'unknown'}`).join(', ')
      return [name, toBarsSvg(bars, { id: metric, name: `${name}, ${numbers.currency}`, about })]
    }),
  )
  return {
    markdown: `# ${plainWords(numbers.name)}

All amounts in ${numbers.currency}, as filed under ${numbers.taxonomy}; each leads to its filing. Read from the regulator at ${fetchedAt.toISOString()}${stale ? ', which does not answer now' : ''}.

${charts.map(([, name]) => `## ${name}\n`).join('\n')}
## Numbers

${toTable(years)}
`,
    data: { cik: ticket.cik, name: numbers.name, currency: numbers.currency, years, stale },
    figures,
  }
})
