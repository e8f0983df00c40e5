/** One line of figures, as docs/security.md has them. */
export const report = (attack: string, figures: object): void => {
  console.log(`${attack}: ${JSON.stringify(figures)}`)
}
