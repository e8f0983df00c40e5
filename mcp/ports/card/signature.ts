import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds that a signed event may be old, or ahead of our clock. */
const toleranceSeconds = 300

/**
 * Whether Stripe signed these bytes lately: `Stripe-Signature: t=<seconds>,v1=<hex HMAC-SHA256 over "t.body">`. While a secret is
 * being changed there are several `v1`; any one suffices.
 */
export const isSigned = (
  header: string | undefined,
  body: Uint8Array,
  secret: string,
  now: Date,
): boolean => {
  if (header === undefined || header.length > 2000) return false
  const fields = header.split(',').map(field => field.trim().split('=', 2))
  const times = fields.filter(([name]) => name === 't').map(([, value = '']) => value)
  const [time = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(now.getTime() / 1000 - Number(time)) > toleranceSeconds) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  return fields.some(([name, value = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) return false
    return timingSafeEqual(Buffer.from(value, 'hex'), expected)
  })
}
