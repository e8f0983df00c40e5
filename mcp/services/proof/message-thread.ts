import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { messageId, PostOut, postsIn, toPostOut, untrustedMark } from './message.ts'

export default tool({
  name: 'message_thread',
  title: 'Read a thread',
  description:
    'The whole thread that a post of the board belongs to, the oldest first. Use it to follow a discussion before you answer. Free.',
  keywords: ['conversation', 'replies', 'view'],
  input: z.object({ message_id: messageId, ...pageInput('Posts', { preset: 50 }) }),
  output: z.object({
    thread_id: z.string().describe('Id of the post that began it'),
    posts: z.array(PostOut).describe('The oldest first'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['messages', 'free'] },
  rest: { routes: ['GET /messages/thread/:message_id'] },
  examples: [{ message_id: '0123456789abcdef01234567' }],
  needsSetup: true,
  summary: ({ posts }) => `${countText(posts.length, 'post')}.`,
}).run(async ({ store }, { message_id, ...page }) => {
  const post = await postsIn(store).get(message_id)
  if (!post) throw new ToolError('not_found', `The board has no post ${message_id}.`)
  const { rows, next } = await postsIn(store).find({
    index: 'thread',
    where: { thread: post.thread },
    ...pageQuery(page),
  })
  return { thread_id: post.thread, posts: rows.map(toPostOut), next: next ?? null, untrusted: true }
})
