import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'

/** Returns the URL keys of the possible first pages of a run: the seed, and the root of its host. */
export const startKeysOf = (seed: string): string[] =>
  [normalForm(seed), normalForm('/', seed)].flatMap(url => url ?? []).map(urlKey)
