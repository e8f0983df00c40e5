import { computeUnitPrice, type Session, unitMs } from './session.ts'

type Meter = Pick<
  Session,
  'rate' | 'fee' | 'unit' | 'accepted' | 'spent' | 'running_since' | 'begun' | 'deposit'
>

/** Units that the vouchers pay for and that have not begun. */
const affordableUnits = (meter: Meter): bigint =>
  (BigInt(meter.accepted) - BigInt(meter.spent)) / computeUnitPrice(meter)

/**
 * The meter at a time. Each unit is charged when it begins, and none that no voucher pays for: there the clock stops, and what comes
 * after costs nothing.
 */
export const readMeter = <meter extends Meter>(meter: meter, now: Date): meter => {
  if (meter.running_since === null) return meter
  const elapsed = now.getTime() - Date.parse(meter.running_since)
  const more = BigInt(Math.floor(elapsed / unitMs[meter.unit]) + 1 - meter.begun)
  if (more <= 0n) return meter
  const affordable = affordableUnits(meter)
  const units = more < affordable ? more : affordable
  const spent = (BigInt(meter.spent) + units * computeUnitPrice(meter)).toString()
  if (more > affordable) return { ...meter, spent, running_since: null, begun: 0 }
  return { ...meter, spent, begun: meter.begun + Number(units) }
}

/** Starts the clock of a meter that stands, if a voucher pays for the next unit. */
export const startMeter = <meter extends Meter>(meter: meter, now: Date): meter =>
  meter.running_since !== null || affordableUnits(meter) < 1n
    ? meter
    : readMeter({ ...meter, running_since: now.toISOString(), begun: 0 }, now)

/** The meter with its clock stopped now. */
export const stopMeter = <meter extends Meter>(meter: meter, now: Date): meter => ({
  ...readMeter(meter, now),
  running_since: null,
  begun: 0,
})

/** When a running clock stops for want of a voucher; null for one that stands. */
export const stopsAt = (meter: Meter): Date | null =>
  meter.running_since === null
    ? null
    : new Date(
        Date.parse(meter.running_since) + (meter.begun + Number(affordableUnits(meter))) * unitMs[meter.unit],
      )

/** The least that the next voucher must say; above the deposit, a top-up must come first. */
export const requiredCumulative = (meter: Meter): bigint => {
  const price = computeUnitPrice(meter)
  const [accepted, deposit] = [BigInt(meter.accepted), BigInt(meter.deposit)]
  const next = BigInt(meter.spent) + (affordableUnits(meter) + 1n) * price
  return accepted + price > deposit && next <= deposit ? deposit : accepted + price
}

/** True when the deposit does not reach for another unit. */
export const isCapNear = (meter: Meter): boolean => requiredCumulative(meter) > BigInt(meter.deposit)
