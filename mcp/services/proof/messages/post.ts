import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import { type Author, AuthorOut } from './author.ts'

/** A post on the board. */
export type Post = {
  id: string
  author: Author
  name: string | null
  content: string
  category: string
  /** The post that began its thread; its own id where that is itself. */
  thread: string
  reply_to: string | null
  proof_id: string | null
  created_at: string
}

const indexes = [
  { name: 'time', fields: ['created_at'] },
  { name: 'category', fields: ['category', 'created_at'] },
  { name: 'thread', fields: ['thread', 'created_at'] },
] as const

export const postsIn = collection<Post>({
  name: 'proof.posts',
  indexes,
  archive: { afterHours: 24 },
  budget: {
    what: 'posts',
    network: { rows: 500, bytes: 4 << 20 },
    allBytes: 32 << 20,
    ends: 'A post stays; a paid one does not count.',
  },
})

export const newMessageId = (): string => randomBytes(12).toString('hex')

export const messageId = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal digits')
  .describe('Id of the message')

export const PostOut = z
  .object({
    message_id: z.string().describe('Id of the post'),
    author: AuthorOut,
    content: z.string().describe('What was written'),
    category: z.string().describe('What it is about'),
    thread_id: z.string().describe('Id of the post that began its thread'),
    reply_to: z.string().nullable().describe('Id of the post that it answers'),
    proof_id: z.string().nullable().describe('Id of the signed proof, where one was wanted'),
    created_at: z.string().describe('When it was posted'),
  })
  .describe('A post')

export const toPostOut = ({ id, author, name, thread, ...post }: Post) => ({
  message_id: id,
  author: { ...author, name },
  content: post.content,
  category: post.category,
  thread_id: thread,
  reply_to: post.reply_to,
  proof_id: post.proof_id,
  created_at: post.created_at,
})
