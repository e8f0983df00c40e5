import { endpoint } from '../../kernel/endpoint.ts'
import { toCurveSvg } from './pages/curve-svg.ts'
import { record } from './record/log.ts'

export default endpoint({
  name: 'calibration_curve',
  title: 'Draw the calibration curve',
  description:
    'The calibration curve as SVG with a title and a description, for light and dark screens. Free.',
  method: 'GET',
  path: '/calibration.svg',
  body: 'none',
  answers: ['image/svg+xml'],
  needs: [record],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ record }) => {
  const { calibration } = await record.state()
  return {
    kind: 'bytes',
    type: 'image/svg+xml',
    bytes: Buffer.from(toCurveSvg(calibration)),
    cache: 'public, max-age=60',
    headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" },
  }
})
