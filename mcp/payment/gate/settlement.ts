import type { Service } from '../../kernel/service.ts'
import { type AnyTool, isFree } from '../../kernel/tool.ts'

/** When a tool's payment is settled; `after` unless it says otherwise. */
export const settleTime = ({ settle = 'after' }: AnyTool): 'before' | 'after' | 'commit' => settle

const isPriced = ({ price, quote }: AnyTool): boolean => !isFree(price) || quote !== undefined

/**
 * Throws at boot for a priced tool that writes and is settled after it ran: what it wrote would stay when the
 * settlement fails. So does what is shown once, since the answer is kept until its payment is settled. Such a tool declares `settle: 'before'`, or without
 * secrets `'commit'`.
 * A priced tool with a secret says how its payer gets it again (`reissue`), since it is kept nowhere.
 */
export const requireSettlementOrder = (services: readonly Service[]): void => {
  const wrong = services.flatMap(({ slug, tools }) =>
    tools
      .filter(
        tool =>
          isPriced(tool) &&
          ((settleTime(tool) === 'after' && !tool.hints.readOnly) ||
            (settleTime(tool) !== 'before' && tool.secret !== undefined)),
      )
      .map(({ name }) => `${slug}.${name}`),
  )
  if (wrong.length > 0)
    throw new Error(
      `settle "after" is for tools that only read and have no secrets; declare settle "before" or, without secrets, "commit": ${wrong.join(', ')}`,
    )
  const losers = services.flatMap(({ slug, tools }) =>
    tools
      .filter(tool => isPriced(tool) && tool.secret !== undefined && !tool.reissue)
      .map(({ name }) => `${slug}.${name}`),
  )
  if (losers.length > 0)
    throw new Error(
      `an answer that was paid for and holds a secret must be had again when it is lost; declare reissue: ${losers.join(', ')}`,
    )
}
