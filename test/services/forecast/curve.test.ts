import { expect, test } from 'vitest'
import { toCurveSvg } from '../../../mcp/services/forecast/pages/curve-svg.ts'
import { toBins, toCurve } from '../../../mcp/services/forecast/scoring.ts'

test('the picture says in words what it shows, and nothing where nothing is scored', () => {
  const curve = toCurve(
    toBins([
      { probability: 0.25, yes: 5, no: 20 },
      { probability: 0.8, yes: 3, no: 1 },
    ]),
  ).map(({ meanProbability, interval, consistency: _, ...bucket }) => ({
    ...bucket,
    mean_probability: meanProbability,
    interval95: interval && ([...interval] as [number, number]),
    consistency95: null,
  }))
  const svg = toCurveSvg({ curve, scored: 29 })
  expect(svg.match(/<circle/g)).toHaveLength(2)
  expect(svg).toContain('class="few"')
  expect(svg).toContain('2 buckets of 29 forecasts')
  expect(svg).toContain('prefers-color-scheme:dark')
  expect(toCurveSvg({ curve: [], scored: 0 })).toContain('Nothing is scored yet.')
})
