import type { ToolRequest } from './surface.ts'

type Progress = { progressToken: string | number; progress: number; total?: number; message?: string }

/**
 * Turns what a tool reports into notifications, in order; without a token nobody waits and nothing is sent. A step that is
 * not further than the one before is dropped, as MCP demands growing values. `sent` waits for what is under way.
 */
export const reporter = (
  token: string | number | undefined,
  send: (progress: Progress) => Promise<void>,
): { progressOption: Pick<ToolRequest, 'progress'>; flush(): Promise<void> } => {
  if (token === undefined) return { progressOption: {}, flush: async () => {} }
  let last = Number.NEGATIVE_INFINITY
  let under = Promise.resolve()
  const progress: ToolRequest['progress'] = (done, total, note) => {
    if (!(done > last)) return
    last = done
    const more = { ...(total !== undefined && { total }), ...(note !== undefined && { message: note }) }
    under = under.then(() => send({ progressToken: token, progress: done, ...more })).catch(() => {})
  }
  return { progressOption: { progress }, flush: () => under }
}
