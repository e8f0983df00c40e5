import type { TechCategory } from './catalogue.ts'
import type { Technology } from './score-evidence.ts'

/** Libraries that a whole page is built with; others only help. */
const whole = new Set(['Angular', 'AngularJS', 'Ember.js', 'Preact', 'React', 'Solid', 'Svelte', 'Vue.js'])

/** The technologies by what people ask for; the surest of a kind stands for it. */
export const group = (all: readonly Technology[]) => {
  const names = (category: TechCategory) =>
    all.filter(one => one.category === category).map(({ name }) => name)
  const first = (category: TechCategory) => names(category)[0] ?? null
  return {
    server: first('server'),
    cdn: first('cdn'),
    hosting: first('hosting'),
    framework:
      first('framework') ?? first('static-site') ?? names('ui-library').find(name => whole.has(name)) ?? null,
    cms: first('cms'),
    ecommerce: first('ecommerce'),
    analytics: names('analytics'),
    payments: names('payment'),
    tag_managers: names('tag-manager'),
    languages: names('language'),
  }
}
