import { document } from '../../kernel/document.ts'
import { record } from './record/log.ts'

const show = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : String(value)
const range = (pair: readonly [number, number] | null): string => (pair ? `${pair[0]} to ${pair[1]}` : '–')

export default document({
  path: '/calibration',
  title: 'Calibration of the forecasts',
  description:
    'How well the forecasts of this service came true, with the curve as a table and as a picture.',
  needs: [record],
}).render(async ({ record, base }) => {
  const { at, size, root, calibration } = await record.state()
  const { predictions, curve } = calibration
  const rows = curve.map(
    ({ from, to, n, mean_probability, observed, interval95, small }) =>
      `| ${from} to ${to} | ${n}${small ? ' (few)' : ''} | ${show(mean_probability)} | ${show(observed)} | ${range(interval95)} |`,
  )
  return {
    markdown: `# Calibration of the forecasts

${
  calibration.status === 'insufficient_data'
    ? 'Nothing is scored yet: no prediction is resolved and past its close date. That is all there is to say.'
    : `Brier score **${show(calibration.brier)}** (95 %: ${range(calibration.brier_interval95)}) over ${calibration.scored} predictions; base rate ${show(calibration.base_rate)}, skill ${show(calibration.skill)}, ECE ${show(calibration.ece)}.`
}

Registered ${predictions.registered}, resolved ${predictions.resolved}, annulled ${predictions.annulled}, open ${predictions.open}, of them overdue ${predictions.overdue}.

${
  rows.length === 0
    ? ''
    : `## Curve

| forecast | predictions | mean forecast | came true | 95 % interval |
|---|---|---|---|---|
${rows.join('\n')}

The same as a picture: [calibration.svg](${base}/calibration.svg). Buckets with fewer than 20 predictions say little.

`
}## Check it

${at.toISOString()}, ${size} entries, root \`${root}\`. Signed: [${base}/expertise/calibration/signed](${base}/expertise/calibration/signed). Every
entry: [${base}/expertise/record](${base}/expertise/record). \`octagent verify-record ${base}\` recomputes all of it.
`,
    data: { as_of: at.toISOString(), tree_size: size, root, calibration },
  }
})
