import { document } from '../../kernel/document.ts'
import { toCurveSvg } from './pages/curve-svg.ts'
import { toTrendSvg } from './pages/trend-svg.ts'
import { formatNumber, formatRange } from './pages/words.ts'
import type { Calibration } from './record/calibration.ts'
import { record } from './record/log.ts'
import { type RecordDay, recordDays } from './record/snapshots.ts'

const shownDays = 90

const summarize = ({ predictions, ...calibration }: Calibration): string => `${
  calibration.status === 'insufficient_data'
    ? 'Nothing is scored yet: no prediction is resolved and past its close date. That is all there is to say.'
    : `Brier score **${formatNumber(calibration.brier)}** (95 %: ${formatRange(calibration.brier_interval95)}) over ${calibration.scored} predictions; base rate ${formatNumber(calibration.base_rate)}, skill ${formatNumber(calibration.skill)}, ECE ${formatNumber(calibration.ece)}.`
}

Registered ${predictions.registered}, resolved ${predictions.resolved}, annulled ${predictions.annulled}, open ${predictions.open}, of them overdue ${predictions.overdue}.
`

const toCurveTable = ({ curve }: Calibration): string => {
  const rows = curve.map(
    ({ from, to, n, mean_probability, observed, interval95, small }) =>
      `| ${from} to ${to} | ${n}${small ? ' (few)' : ''} | ${formatNumber(mean_probability)} | ${formatNumber(observed)} | ${formatRange(interval95)} |`,
  )
  return `## Curve

| forecast | predictions | mean forecast | came true | 95 % interval |
|---|---|---|---|---|
${rows.join('\n')}

Buckets with fewer than 20 predictions say little.
`
}

const toTrendTable = (days: readonly RecordDay[]): string => `## Trajectory

| day | Brier | 95 % interval | scored | registered |
|---|---|---|---|---|
${[...days]
  .reverse()
  .map(
    ({ day, brier, brier_interval95, scored, registered }) =>
      `| ${day} | ${formatNumber(brier)} | ${formatRange(brier_interval95)} | ${scored} | ${registered} |`,
  )
  .join('\n')}
`

const toFigures = (calibration: Calibration, days: readonly RecordDay[]): Record<string, string> => {
  const points = days.flatMap(({ day, brier, brier_interval95 }) =>
    brier === null ? [] : [{ at: day, value: brier, interval: brier_interval95 }],
  )
  const [first, last] = [points[0], points.at(-1)]
  const about =
    first && last
      ? `Brier score at the end of ${points.length} days with its 95 % interval: ${first.value} on ${first.at}, ${last.value} on ${last.at}. Less is better.`
      : ''
  return {
    ...(calibration.curve.length > 0 && { Curve: toCurveSvg(calibration, { isInline: true }) }),
    ...(last && { Trajectory: toTrendSvg(points, { id: 'trend', name: 'Brier score by day', about }) }),
  }
}

export default document({
  path: '/calibration',
  title: 'Calibration of the forecasts',
  description:
    'How well the forecasts of this service came true: curve and trajectory as pictures, and the tables beside them.',
  needs: ['store', record],
}).render(async ({ store, record, base }) => {
  const { at, size, root, calibration } = await record.state()
  const days = await recordDays(store, shownDays)
  return {
    markdown: `# Calibration of the forecasts

${summarize(calibration)}
${calibration.curve.length === 0 ? '' : toCurveTable(calibration)}
${days.length === 0 ? '' : toTrendTable(days)}
## Check it

${at.toISOString()}, ${size} entries, root \`${root}\`. Signed: \`${base}/expertise/calibration/signed\`. Every
entry: \`${base}/expertise/record\`; the curve as a picture: [${base}/calibration.svg](${base}/calibration.svg). \`octagent verify-record ${base}\`
recomputes all of it.
`,
    data: { as_of: at.toISOString(), tree_size: size, root, calibration, days },
    figures: toFigures(calibration, days),
  }
})
