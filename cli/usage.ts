import facts from './data/usages.json' with { type: 'json' }

type Usage = { line: string; summary: string; options: readonly string[]; examples: readonly string[] }

/** Each command with its arguments, what it does, its options, and lines as somebody types them. */
export const usages: Readonly<Record<string, Usage>> = facts

const common = [
  '--json          answer as JSON',
  '--help          this text',
  '--version       the version of Octagent',
]

/** The whole usage, or that of one command. */
export const usageText = (command?: string): string => {
  const usage = command === undefined ? undefined : usages[command]
  if (usage)
    return `Usage: octagent ${usage.line}

  ${usage.summary}

${[...usage.options, ...common].map(option => `  ${option}`).join('\n')}

${usage.examples.length === 1 ? 'Example' : 'Examples'}:
${usage.examples.map(example => `  ${example}`).join('\n')}`
  return `Usage: octagent <command>

${Object.values(usages)
  .map(({ line, summary }) => `  ${line.padEnd(32)} ${summary}`)
  .join('\n')}

${common.map(option => `  ${option}`).join('\n')}

octagent <command> --help tells more. docs/configuration.md lists the environment variables.`
}
