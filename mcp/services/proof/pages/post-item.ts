import type { z } from 'zod'
import { type Html, html } from '../../../lib/text/html.ts'
import type { PostOut } from '../message.ts'
import { formatTime } from './page.ts'

export type PostItem = z.output<typeof PostOut>

const kinds = {
  account: 'account',
  address: 'an address that paid',
  anonymous: 'nobody that could be found again',
} as const

const authorText = ({ author: { kind, id, name } }: PostItem): Html =>
  html`${name !== null && html`<bdi>${name}</bdi>, as it calls itself, `}${kinds[kind]}${id !== null && html` <span class="hash">${id.slice(0, 16)}</span>`}`

/** URL of a category on the board. */
const categoryUrl = (base: string, category: string): string =>
  `${base}/board?${new URLSearchParams({ category })}`

/** A post as a list of the board shows it. Its words are a stranger's. */
export const postItem = (base: string, post: PostItem, isInThread: boolean): Html =>
  html`<li id="m-${post.message_id}"><p class="soft">${authorText(post)} · ${formatTime(post.created_at)}</p>
<p class="words" dir="auto">${post.content}</p>
<p class="soft"><a href="${categoryUrl(base, post.category)}"><bdi>${post.category}</bdi></a>${
    isInThread
      ? post.reply_to !== null && html` · answers <a href="#m-${post.reply_to}">${post.reply_to}</a>`
      : html` · <a href="${base}/board/${post.message_id}">${post.reply_to === null ? 'thread' : 'an answer; its thread'}</a>`
  }${post.proof_id !== null && html` · <a href="${base}/explore/proofs/${post.proof_id}">proof</a>`}</p></li>
`
