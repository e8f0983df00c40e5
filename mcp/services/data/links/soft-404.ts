import { clean } from '../../../lib/text/clean.ts'
import type { Fetched } from '../../../ports/index.ts'

const paths =
  /\/(?:errors?\/?)?(?:error-?)?404(?:\.\w{2,5}|\/)?$|\/(?:page-?)?not-?found(?:\.\w{2,5}|\/)?$|\/error(?:-?page)?(?:\.\w{2,5}|\/)?$/i

const titles =
  /\b404\b|\b(?:page|content|file|article|product)\s(?:was\s|is\s|could\s|can(?:not|'t)\s)?(?:not\s)?(?:be\s)?(?:not\s)?found\b|\bnot found\b|\b(?:no longer|not) (?:available|exists?)\b|\bdoes(?:n't| not) exist\b|\bpage introuvable\b|\bniet gevonden\b|\bnicht gefunden\b|\bno encontrada\b|\bnon trovata\b|\bnão encontrada\b/i

/** Paths that a site may well send to its root. */
const homes = /^\/(?:(?:index|home|default|start|main)(?:\.\w{2,5})?\/?)?$/i

/** The title in the first part of a page, without reading all of it. */
const titleIn = (answer: Fetched): string | null => {
  if (!/html/i.test(answer.headers['content-type'] ?? '')) return null
  const head = answer.body.subarray(0, 65_536).toString('utf8')
  return clean(/<title[^>]{0,200}>([^<]{1,300})/i.exec(head)?.[1])
}

/** Why a page that answers may still be the one for "not found"; null when nothing hints at it. */
export const soft404 = (requestedUrl: string, answer: Fetched): string | null => {
  const from = new URL(requestedUrl)
  const to = new URL(answer.url)
  const isRoot = to.pathname === '/' && to.search === ''
  if (!homes.test(from.pathname) && isRoot && from.hostname === to.hostname)
    return 'It redirects to the home page.'
  if (paths.test(to.pathname) && !paths.test(from.pathname)) return 'It redirects to an error page.'
  const title = titleIn(answer)
  return title !== null && titles.test(title) ? `Its title is "${title}".` : null
}
