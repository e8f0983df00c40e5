import { pay } from '../../payment/fake-method.ts'
import type { Requirements } from '../../payment/x402.ts'
import { type ForecastWorld, refusalOf } from './run.ts'

const payer = '0x00000000000000000000000000000000000000bb'

/** What a call is offered for; throws unless it is a price that it is refused for. */
export const offerFor = async (world: ForecastWorld, tool: string, input: object): Promise<Requirements> => {
  const refusal = await refusalOf(world.ask(tool, input))
  if (refusal.code !== 'payment_required') throw refusal
  const [offer] = (refusal.parts?.structured as { accepts?: Requirements[] } | undefined)?.accepts ?? []
  if (!offer) throw new Error('no offer')
  return offer
}

/** Pays for a call with USDC on Base, and resolves to its answer. */
export const buy = async (world: ForecastWorld, tool: string, input: object) => {
  world.chain.balances.set(payer, 1_000_000_000n)
  const payment = pay(world.chain, payer, await offerFor(world, tool, input))
  return world.ask(tool, input, { evidence: { headers: {}, meta: { 'x402/payment': payment } } })
}
