import type { Asked } from './surface.ts'

type Progress = { progressToken: string | number; progress: number; total?: number; message?: string }

/**
 * Turns what a tool reports into notifications, in order; without a token nobody waits and nothing is sent. A step that is
 * not further than the one before is dropped, as MCP demands growing values. `sent` waits for what is under way.
 */
export const reporter = (
  token: string | number | undefined,
  send: (progress: Progress) => Promise<void>,
): { told: Pick<Asked, 'progress'>; sent(): Promise<void> } => {
  if (token === undefined) return { told: {}, sent: async () => {} }
  let last = Number.NEGATIVE_INFINITY
  let under = Promise.resolve()
  const progress: Asked['progress'] = (done, total, note) => {
    if (!(done > last)) return
    last = done
    const more = { ...(total !== undefined && { total }), ...(note !== undefined && { message: note }) }
    under = under.then(() => send({ progressToken: token, progress: done, ...more })).catch(() => {})
  }
  return { told: { progress }, sent: () => under }
}
