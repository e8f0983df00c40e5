import { type HeaderReport, type Lines, linesOf } from '../../../lib/csp/finding.ts'

const fix = 'Permissions-Policy: camera=(), microphone=(), geolocation=()'

/** Features that reach the visitor or the device. */
const powerful = new Set(
  'accelerometer ambient-light-sensor bluetooth camera clipboard-read display-capture geolocation gyroscope hid idle-detection local-fonts magnetometer microphone midi payment publickey-credentials-get screen-wake-lock serial usb window-management xr-spatial-tracking'.split(
    ' ',
  ),
)

const item = /^([a-z*][a-z0-9_.*-]{0,60})\s*=\s*(\*|self|\([^()]{0,2000}\)|[a-z"][^\s,]{0,500})(?:;.*)?$/

type Features = ReadonlyMap<string, string>

/** Features and their allowlists (Permissions Policy §5.1, a structured field dictionary). Null when it is none. */
export const readFeatures = (lines: readonly string[]): Features | null => {
  const features = new Map<string, string>()
  const parts = lines.join(',').match(/(?:\([^()]*\)|[^,()])+/g) ?? []
  for (const part of parts.slice(0, 200)) {
    const text = part.trim()
    if (text === '') continue
    const [, feature, allowed] = item.exec(text) ?? []
    if (feature === undefined || allowed === undefined) return null
    features.set(feature, allowed)
  }
  return features
}

type Judged = { report: Omit<HeaderReport, 'present' | 'value'> }

const judged = (
  verdict: HeaderReport['verdict'],
  severity: HeaderReport['severity'],
  message: string,
): Judged => ({ report: { verdict, severity, message, fix: verdict === 'good' ? null : fix } })

/** Which powers of the browser the page and its frames may use. It adds nothing to the score. */
export const judgePermissions = (headers: Lines): Judged => {
  const lines = linesOf(headers, 'permissions-policy')
  if (lines.length === 0)
    return judged('absent', 'low', 'Frames of the page may ask for camera, microphone and the like.')
  const features = readFeatures(lines)
  if (features === null || features.size === 0)
    return judged('bad', 'low', 'The header is not well formed, so browsers ignore all of it.')
  const open = [...features].filter(
    ([feature, allowed]) => powerful.has(feature) && /(?:^|[(\s])\*(?:$|[)\s])/.test(allowed),
  )
  if (open.length > 0)
    return judged('weak', 'low', `Anybody in a frame may use ${open.map(([feature]) => feature).join(', ')}.`)
  return judged('good', 'info', `It limits ${features.size} ${features.size === 1 ? 'feature' : 'features'}.`)
}
