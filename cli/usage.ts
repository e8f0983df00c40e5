/** Each command with its arguments, what it does, and its options. */
export const usages: Readonly<Record<string, { line: string; summary: string; options: readonly string[] }>> =
  {
    serve: {
      line: 'serve [service]',
      summary: 'serve all eight services, or one at the root of its port',
      options: ['--port n        listen there instead of at PORT'],
    },
    list: { line: 'list [service]', summary: 'the tools, with prices', options: [] },
    call: {
      line: 'call <service>.<tool> [input]',
      summary: 'call a tool; input as JSON or key=value …',
      options: [
        '--url base      the server to ask; default: the one that runs here, else this process',
        '--key key       a credential: a Bearer or an API key, as the tool takes it',
        '--pay           pay what it costs (up to $1) with PRIVATE_KEY, or with the demo wallet of the local chains',
      ],
    },
    doctor: {
      line: 'doctor',
      summary: 'what is wrong, set, missing and reachable, and which tools are off',
      options: [],
    },
    demo: { line: 'demo', summary: 'start on local chains, pay for a feed, show the balances', options: [] },
    owed: { line: 'owed', summary: 'paid calls whose work was not done', options: [] },
    refund: {
      line: 'refund <id>',
      summary: 'give one of them back',
      options: ['--to where      where the payer wants it', '--served        one that was answered'],
    },
    audit: {
      line: 'audit',
      summary: 'whether ledger, payments and chains agree; 1 if not, 3 if a chain was silent',
      options: ['--no-chain      ask no chain'],
    },
    'pay-invoice': {
      line: 'pay-invoice <invoice>',
      summary: 'pay an invoice of the local Lightning node; prints the preimage',
      options: [],
    },
    'verify-record': {
      line: 'verify-record <url|file>',
      summary: 'recompute a forecasting record from its public entries; 1 if anything does not follow',
      options: [
        '--key base64    the public key that must have signed it; default: the one it names',
        '--save file     keep what was read, to check it again without a network',
      ],
    },
    completions: { line: 'completions bash|zsh|fish', summary: 'shell completions', options: [] },
    docs: { line: 'docs', summary: 'write .env.example and docs/configuration.md', options: [] },
  }

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

${[...usage.options, ...common].map(option => `  ${option}`).join('\n')}`
  return `Usage: octagent <command>

${Object.values(usages)
  .map(({ line, summary }) => `  ${line.padEnd(32)} ${summary}`)
  .join('\n')}

${common.map(option => `  ${option}`).join('\n')}

octagent <command> --help tells more. docs/configuration.md lists the environment variables.`
}
