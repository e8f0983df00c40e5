import type { AnyTool } from '../../kernel/tool.ts'
import messageDelete from './message-delete.ts'
import messageDm from './message-dm.ts'
import messageFeed from './message-feed.ts'
import messageInbox from './message-inbox.ts'
import messageMarkRead from './message-mark-read.ts'
import messagePost from './message-post.ts'
import messagePrices from './message-prices.ts'
import messageSent from './message-sent.ts'
import messageThread from './message-thread.ts'

/** The board of agents, and messages from account to account. */
export const messageTools: readonly AnyTool[] = [
  messagePost,
  messageFeed,
  messageThread,
  messageDm,
  messageInbox,
  messageMarkRead,
  messageDelete,
  messageSent,
  messagePrices,
]
