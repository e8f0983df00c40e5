import type { Command } from './shell.ts'

const verbs =
  'Get|Set|New|Remove|Add|Invoke|Where|ForEach|Select|Stop|Start|Restart|Disable|Enable|Clear|Export|Import|Test|Write|Out|ConvertTo|ConvertFrom|Copy|Move|Rename|Format|Register|Unregister|Uninstall|Install|Grant|Revoke|Reset|Update|Measure|Sort|Unlock|Lock|Suspend|Resume|Send|Resolve|Join|Split|Compare|Expand|Compress|Dismount|Mount|Initialize|Restore|Backup|Checkpoint'
const name = `(?:${verbs})-[A-Z][A-Za-z]{1,60}\\b`
const atStart = new RegExp(`^\\s{0,20}(?:\\$[\\w:]{1,60}\\s{0,3}=\\s{0,3})?${name}`, 'm')
const anywhere = new RegExp(`[|{(;=&]\\s{0,20}${name}`)

/** True when a script is one of PowerShell, by the names of what it calls; one that no other shell reads may have them anywhere. */
export const isPowerShell = (script: string, isUnreadable: boolean): boolean =>
  atStart.test(script) || (isUnreadable && anywhere.test(script))

const maxCommands = 800

/** The words and the marks between commands; of what is quoted, the inside. */
const tokenForm =
  /"((?:[^"`]|`.){0,4000})"|'([^']{0,4000})'|(#[^\n]*)|(`\r?\n)|([\n;{}()|]|&&|\|\|)|([^\s"'`;{}()|]{1,2000})|[`"']/g

/** The commands of a script of PowerShell: each with its words, and with those that feed it through a pipe. */
export const readPowerShell = (script: string): Command[] => {
  const commands: Command[] = []
  let [words, from, line]: [string[], number, number] = [[], 0, 1]
  let feeders: Command[] = []
  // What stands in brackets is within the pipe around it, and does not end it.
  const outer: Command[][] = []
  const end = (at: number) => {
    // `$x = Get-Item y` is Get-Item; `& program` is the program.
    const named = words[1] === '=' && words[0]?.startsWith('$') ? words.slice(2) : words
    const bare = named[0] === '&' || named[0] === '.' ? named.slice(1) : named
    if (bare.length > 0 && commands.length < maxCommands) {
      const command: Command = {
        program: (bare[0] ?? '').replace(/^.*[\\/](?=[^\\/])/, '').replace(/\.exe$/i, ''),
        args: bare.slice(1),
        feeders: [...feeders],
        inner: [],
        redirects: [],
        input: '',
        assignments: [],
        after: [],
        text: script.slice(from, at).trim().slice(0, 200),
        place: { line },
      }
      commands.push(command)
      feeders.push(command)
    }
    words = []
  }
  let counted = 0
  for (const match of script.matchAll(tokenForm)) {
    const [whole, double, single, comment, , mark, word] = match
    if (comment !== undefined) continue
    if (mark === undefined) {
      if (words.length === 0) {
        from = match.index
        for (
          let at = script.indexOf('\n', counted);
          at >= 0 && at < from;
          at = script.indexOf('\n', at + 1)
        ) {
          line++
          counted = at + 1
        }
      }
      const text = double ?? single ?? word
      if (text !== undefined && text !== '') words.push(text)
      continue
    }
    if (mark === '\n' && words.length === 0) continue
    end(match.index)
    if (mark === '(' || mark === '{') {
      outer.push(feeders)
      // A block is run for what comes through the pipe; brackets are not.
      feeders = mark === '{' ? [...feeders] : []
    } else if (mark === ')' || mark === '}') feeders = outer.pop() ?? []
    else if (mark !== '|') feeders = []
    from = match.index + whole.length
  }
  end(script.length)
  return commands
}
