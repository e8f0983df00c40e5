/** How registries begin a line that says there is no such domain. */
const absencePatterns = [
  /^no match/i,
  /^(?:domain |object |record )?not (?:found|registered|exist)/i,
  /^no such domain/i,
  /^no (?:data|entry|entries|objects?|records?|information)\b.{0,60}(?:found|available|exist|about|$)/i,
  /^nothing found/i,
  /^(?:(?:the|above|this|requested|queried) )*(?:domain|object)(?: name)?\b.{0,120}\b(?:not found|not registered|not exist|not been registered|is free|is available|available for (?:registration|purchase)|unregistered|unknown)/i,
  /^(?:object_not_found|no_se_encontro_el_objeto)/i,
  /^el dominio no se encuentra registrado/i,
  /^we do not have an entry in our database/i,
  /^invalid query or domain name not known/i,
  /^[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}.-]{1,190}(?::| is)? (?:no match|not registered|not found|free|is available for)/iu,
]

const lead = /^[^\p{L}\p{N}]*(?:error:?\s*\d*:?\s*)?/iu

const free = /^(?:available|free|no object found|not registered|unregistered)$/i

const busy =
  /(?:limit|quota|rate)\b.{0,60}(?:exceed|reached|over)|(?:exceed|reached).{0,60}(?:limit|quota|rate)|too many (?:requests|queries|connections)|(?:temporarily|access) (?:denied|blocked|unavailable|restricted)|blacklisted|try again (?:later|after)|wait (?:a|some|for) /i

const lines = (text: string): string[] => text.split(/\r\n?|\n/, 400).map(line => line.slice(0, 300))

/** True when an answer without any data says in so many words that there is no such domain. */
export const isAbsent = (text: string, statuses: readonly string[]): boolean =>
  statuses.some(status => free.test(status)) ||
  lines(text)
    .map(line => line.replace(lead, ''))
    .some(line => absencePatterns.some(pattern => pattern.test(line)))

/** True when an answer without any data is about asking too often. */
export const isBusy = (text: string): boolean => lines(text).some(line => busy.test(line))
