import { headerLines, type Lines } from '../../../lib/csp/finding.ts'
import { countText } from '../../../lib/text/count.ts'
import { type HeaderVerdict, judgeHeader } from './verdict.ts'

const name = 'permissions-policy'

/** Features that reach the visitor or the device. */
const powerful = new Set(
  'accelerometer ambient-light-sensor bluetooth camera clipboard-read display-capture geolocation gyroscope hid idle-detection local-fonts magnetometer microphone midi payment publickey-credentials-get screen-wake-lock serial usb window-management xr-spatial-tracking'.split(
    ' ',
  ),
)

const item = /^([a-z*][a-z0-9_.*-]{0,60})\s*=\s*(\*|self|\([^()]{0,2000}\)|[a-z"][^\s,]{0,500})(?:;.*)?$/

type Features = ReadonlyMap<string, string>

/** Features and their allowlists (Permissions Policy §5.1, a structured field dictionary). Null when it is none. */
const readFeatures = (lines: readonly string[]): Features | null => {
  const features = new Map<string, string>()
  const parts = lines.join(',').match(/(?:\([^()]*\)|[^,()])+/g) ?? []
  for (const part of parts.slice(0, 200)) {
    const text = part.trim()
    if (text === '') continue
    const [, feature, allowlist] = item.exec(text) ?? []
    if (feature === undefined || allowlist === undefined) return null
    features.set(feature, allowlist)
  }
  return features
}

/** Which powers of the browser the page and its frames may use. It adds nothing to the score. */
export const judgePermissions = (headers: Lines): Pick<HeaderVerdict, 'report'> => {
  const lines = headerLines(headers, name)
  if (lines.length === 0) return judgeHeader(name, 'missing')
  const features = readFeatures(lines)
  if (features === null || features.size === 0) return judgeHeader(name, 'invalid')
  const open = [...features].filter(
    ([feature, allowlist]) => powerful.has(feature) && /(?:^|[(\s])\*(?:$|[)\s])/.test(allowlist),
  )
  return open.length > 0
    ? judgeHeader(name, 'open', { features: open.map(([feature]) => feature).join(', ') })
    : judgeHeader(name, 'on', { features: countText(features.size, 'feature') })
}
