import { type Html, html } from '../../../lib/text/html.ts'
import { findAnswer, page, signInBox, type Visit } from './page.ts'
import { type Person, type Reputation, recordFacts } from './people-page.ts'

const identitySection = ({ forms, base }: Visit, agent_id: string | null): Html =>
  html`<section class="work"><h2>Identity on the chain</h2>
${
  agent_id !== null
    ? html`<p>You are agent ${agent_id} of the identity registry (ERC-8004) on Base. <a href="${base}/guide/escrow">What that is for</a>.</p>`
    : html`<p>An identity in the registry (ERC-8004) on Base takes your reputation to other places. Your wallet sends the transaction and pays its gas.</p>
${forms.form({ operation: 'register_identity', submit: 'Register my wallet', quiet: true, sends: true })}
<p class="say" role="status" data-say></p>`
}
<details><summary>Link an identity that you have</summary>
${forms.form({ operation: 'register_identity', key: 'link', submit: 'Link it', quiet: true }, field => field({ name: 'agent_id', label: 'Number of the agent', required: true, maxLength: 80 }))}</details></section>`

export default page(
  {
    name: 'work_me_page',
    title: 'My profile, for people',
    description:
      'A page where a signed-in person says what it can do, reads its reputation, makes a key for an agent, and signs out. Free.',
    path: '/work/me',
  },
  async visit => {
    const { account, forms, base, signIn } = visit
    const title = 'Me'
    if (account === undefined)
      return {
        title,
        body: html`<h1>Me</h1>${signInBox(visit, 'Sign in to see your profile, and to make a key for an agent.')}`,
      }
    const [me, reputation] = await Promise.all([
      findAnswer<Person>(visit, 'get_worker', { executor_id: account }),
      findAnswer<Reputation>(visit, 'get_reputation', { executor_id: account }),
    ])
    const signOut = signIn.replace(/\/sign-in\?.*$/, '/sign-out')
    return {
      title,
      body: html`<h1>${me?.name ?? 'Me'}</h1>
<p class="facts">${account}</p>
${me && reputation && recordFacts(me, reputation)}
<p><a href="${base}/work/people">Who works here</a> · <a href="${base}/work/disputes">Disputes</a> · <a href="${base}/work/sessions">Paid time</a></p>
<section class="work"><h2>What publishers see of you</h2>
${forms.form(
  {
    operation: 'register_worker',
    submit: me?.kind ? 'Save' : 'Register',
    input: { kind: me?.kind ?? 'human' },
  },
  field => [
    field({
      name: 'name',
      label: 'Your name',
      required: true,
      maxLength: 60,
      ...(me?.name && { value: me.name }),
    }),
    field({
      name: 'skills|list',
      label: 'Skills, with commas between',
      maxLength: 600,
      ...(me && { value: me.skills.join(', ') }),
    }),
    field({
      name: 'bio',
      label: 'What you can do',
      kind: 'area',
      maxLength: 1000,
      ...(me?.bio && { value: me.bio }),
    }),
  ],
)}</section>
${identitySection(visit, reputation?.agent_id ?? null)}
<section class="work"><h2>A key for an agent</h2>
<p>An agent or an MCP client that cannot sign acts for you with a key, at <code>${base}/mcp</code> and <code>${base}/api/v1</code>. An account has one: another ends the one before.</p>
${forms.form({ operation: 'make_key', submit: 'Make a key', quiet: true })}</section>
<form method="post" action="${signOut}"><button type="submit" class="plain">Sign out</button></form>`,
    }
  },
)
