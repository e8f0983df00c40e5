/** One statement of a WHOIS answer. `section` is the heading above it, `label` is empty where a line stands alone; both lower case. */
export type WhoisEntry = { section: string; label: string; value: string }

type State = {
  entries: WhoisEntry[]
  section: string
  /** Lines further in than this belong to the section; infinite where only another heading ends it. */
  reach: number
  /** Something stands under the heading. */
  isFilled: boolean
  /** The statement that a line further in continues. */
  last: { label: string; indent: number } | undefined
  /** Nothing stands above but an empty line. */
  isBlockStart: boolean
}

const maxLines = 1500
const maxLineLength = 500

const tidy = (text: string) => text.replace(/\s+/g, ' ').trim()

const open = (state: State, name: string, reach: number) => {
  state.section = tidy(name).toLowerCase()
  state.reach = reach
  state.isFilled = false
  state.last = undefined
}

const add = (state: State, label: string, value: string) => {
  state.isFilled = true
  state.entries.push({ section: state.section, label: tidy(label).toLowerCase(), value: tidy(value) })
}

const untilNext = Number.POSITIVE_INFINITY
const none = -1

/** Leaves a section that a line is not inside of. */
const leave = (state: State, indent: number) => {
  if (state.section !== '' && indent <= state.reach && state.reach !== untilNext) open(state, '', none)
}

/** First labels of blocks that are about a person or a set of servers. */
const contactBlock = /^(?:nic-hdl|nic-hdl-br|person|personname|role|contact|nsset|keyset|irt)$/i

type Take = (state: State, parts: readonly string[], indent: number) => void
type Kind = readonly [RegExp, Take]

/** A line without a label goes on with the statement above when it is further in. */
const loose: Take = (state, [value = ''], indent) =>
  add(state, state.last && indent > state.last.indent ? state.last.label : '', value)

/** The kinds of lines, by the first pattern that fits. */
const kinds: readonly Kind[] = [
  [
    /^% ?(registra(?:r|nt)|(?:administrative|technical) contacts?):\s*$/i,
    (s, [name = '']) => open(s, name, untilNext),
  ],
  // A whois program says whom it asks: "[Querying whois.nic.com]", "# whois.nic.com". IANA's answer before it is about the ending.
  [
    /^(?:\[(?:quer\w+ |redirected to )?(?:[a-z0-9-]+\.)+[a-z0-9-]+\]|# ?(?:[a-z0-9-]+\.)+[a-z]{2,})$/i,
    state => {
      if (state.entries.some(({ label }) => label === 'refer')) state.entries = []
      open(state, '', none)
    },
  ],
  [/^(?:[%#;]|\*(?!\* ))/, () => {}],
  [
    /^(?:>>>|<<<|--|terms|notice|remark|copyright|please|for more information|the data|by submitting)/i,
    () => {},
  ],
  [/^\*\* ([^:]{1,60}):\s*(\S.*)$/, (s, [name = '', value = '']) => add(s, name, value)],
  [/^\*\* ([^:]{1,60}):?$/, (s, [name = '']) => open(s, name, untilNext)],
  [/^\s*\[([^\]]{1,48})\]$/, (s, [name = '']) => open(s, name, untilNext)],
  [/^\s*(?:[a-z]\. ?)?\[([^\]]{1,48})\]\s*(\S.*)$/, (s, [name = '', value = '']) => add(s, name, value)],
  [
    /^\s*((?:domain |record )?(?:created|registered|expires|will expire|last updated|last modified)) on:?\s+(\S.*)$/i,
    (s, [label = '', value = ''], indent) => {
      leave(s, indent)
      add(s, `${label} on`, value)
    },
  ],
  // A host name with its addresses, which may hold colons.
  [/^\s*((?:[a-z0-9-]+\.)+[a-z0-9-]+\.?[ ,([]+[0-9a-f]*[.:].*)$/i, loose],
  [
    /^\s*(\p{L}[\p{L}\p{N} ()/_'&.,-]{0,48}?)[ .]*:(?!\/\/)\s*(\S.*)$/u,
    (s, [label = '', value = ''], indent) => {
      leave(s, indent)
      if (s.isBlockStart && contactBlock.test(label)) open(s, 'contact', none)
      add(s, label, value)
      s.last = { label, indent }
    },
  ],
  [
    /^\s*(\p{L}[\p{L}\p{N} ()/_'&.,-]{0,48}?)[ .]*:$/u,
    (s, [label = ''], indent) => {
      if (s.reach !== untilNext) open(s, label, indent)
    },
  ],
  [
    /^(registra(?:nt|r)|name ?servers|admin contact|technical contacts?|administrative contact\/agent|holder|owner|organization using domain name)$/i,
    (s, [name = '']) => open(s, name, 0),
  ],
  [/^\s*(.*)$/, loose],
]

const blank = (state: State) => {
  state.last = undefined
  if (state.isFilled && state.reach !== untilNext) open(state, '', none)
}

/**
 * Takes a WHOIS answer apart into statements: `label: value`, `label.....: value`, `[label] value`, values under a heading, and
 * lines that continue the one above. Comments and legal notices are left out.
 */
export const parseEntries = (text: string): WhoisEntry[] => {
  const state: State = {
    entries: [],
    section: '',
    reach: none,
    isFilled: false,
    last: undefined,
    isBlockStart: true,
  }
  for (const raw of text.split(/\r\n?|\n/, maxLines)) {
    const line = raw.slice(0, maxLineLength).replaceAll('\t', '        ').trimEnd()
    if (line === '') blank(state)
    else {
      const indent = line.length - line.trimStart().length
      const kind = kinds.find(([pattern]) => pattern.test(line))
      if (kind) kind[1](state, (kind[0].exec(line) ?? []).slice(1), indent)
    }
    state.isBlockStart = line === ''
  }
  return state.entries
}
