import type { Note } from '../meta.ts'

/** True when a text is there: true, false, or null where the answer leaves it open. */
export type Live = { live: boolean | null; reason: Note | null }

const missing =
  /(?:^|\W)(?:404|page not found|not found|page introuvable|page non trouvée|pagina niet gevonden|niet gevonden|seite nicht gefunden|nicht gefunden|no encontrada|non trovata|não encontrada)(?:\W|$)/i

const unknown = (code: string, message: string): Live => ({ live: null, reason: { code, message } })

/** Judges a page by its status; a wall, a fault or a page that only says it is missing says nothing. */
export const toLiveness = (status: number, title: string | null): Live => {
  if (status === 404 || status === 410)
    return { live: false, reason: { code: 'gone', message: `The address answers ${status}.` } }
  if (status === 401 || status === 403 || status === 407 || status === 429 || status === 451)
    return unknown('walled', `It answers ${status}, which does not tell whether the page is there.`)
  if (status >= 400)
    return unknown('status_unclear', `It answers ${status}, which does not tell whether the page is there.`)
  if (status >= 300) return unknown('status_unclear', `It answers ${status} and leads nowhere.`)
  if (title !== null && missing.test(title))
    return unknown('soft_404', 'It answers as if the page were there, and its title says that it is not.')
  return { live: true, reason: null }
}
