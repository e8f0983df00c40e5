import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { parseUsd, usdInput } from '../money/amount.ts'
import { computeBountyFee } from '../money/funds.ts'
import { loadTaskAs } from '../task/load.ts'
import { taskId } from '../task/public-task.ts'
import type { Task } from '../task/task.ts'
import { activeSession, maxCap, type Session, sessionNetworks, type TimeUnit, unitMs } from './session.ts'

const units = Object.keys(unitMs) as [TimeUnit, ...TimeUnit[]]

/** A publisher's offer for the time of a worker. */
export const termsInput = {
  task_id: taskId,
  rate_usd: usdInput({ min: '0.000001', max: '100' }).describe(
    'What the worker gets for a unit of time, in USD',
  ),
  unit: z.enum(units).default('minute').describe('The unit of time; each is paid when it begins'),
  cap_usdc: usdInput({ min: '0.10', max: '100' }).describe(
    'The most that you authorise for the session, fee included, 0.10 to 100 USDC',
  ),
  network: z.enum(sessionNetworks).default('base').describe('Where the USDC is'),
}

export const TermsInput = z.object(termsInput)

export type Terms = { rate: bigint; fee: bigint; price: bigint; unit: TimeUnit; cap: bigint }

/** The price of a unit and the cap, as numbers. Throws `invalid_input` for a cap below one unit. */
export const computeTerms = (
  { rate_usd, unit, cap_usdc }: Pick<z.output<typeof TermsInput>, 'rate_usd' | 'unit' | 'cap_usdc'>,
  feeBps: number,
): Terms => {
  const rate = parseUsd(rate_usd)
  const fee = computeBountyFee(rate, feeBps)
  const [price, cap] = [rate + fee, parseUsd(cap_usdc)]
  if (price <= cap && cap <= maxCap) return { rate, fee, price, unit, cap }
  throw new ToolError('invalid_input', `cap_usdc: a ${unit} costs ${formatUsd(price)} USD, fee included.`, {
    issues: [{ path: 'cap_usdc', message: `${formatUsd(price)} USD at least` }],
  })
}

/** The task, if its publisher may pay for time on it: work is under way, and no other session pays for it. */
export const requirePayableTask = async (
  tx: Tx,
  task_id: string,
  publisher: string,
): Promise<{ task: Task; worker: string }> => {
  const task = await loadTaskAs(tx, task_id, publisher, 'publisher')
  if (task.status !== 'in_progress' || task.worker === null)
    throw new ToolError('conflict', 'Time is paid while a worker is at work on the task.', {
      reason: 'task_not_in_progress',
      params: { status: task.status },
    })
  const active: Session | undefined = await activeSession(tx, task_id)
  if (active)
    throw new ToolError('conflict', 'The task has a session already.', {
      reason: 'session_exists',
      params: { session_id: active.id, channel_id: active.channel_id },
      next: ['get_session'],
    })
  return { task, worker: task.worker }
}
