/**
 * Preloaded into each test process and its children, which load up to 2,600 modules. Bundled packages replace their
 * modules (packages.ts), and our own sources are found without a search: a gateway loads with half of the processor time.
 */
import fs from 'node:fs'
import { type RegisterHooksOptions, registerHooks } from 'node:module'

const tableFile = process.env.TEST_PACKAGES
if (tableFile !== undefined) {
  const urls: [string, string][] = Object.entries(JSON.parse(fs.readFileSync(tableFile, 'utf8')))
  registerHooks({ resolve: resolver(new Map(urls)) })
}

/** @param bundles URLs by the names of packages */
function resolver(bundles: ReadonlyMap<string, string>): RegisterHooksOptions['resolve'] {
  const workspaces = new Map<string, { url: string; shortCircuit: true }>()
  return (specifier, context, nextResolve) => {
    const bundle = bundles.get(specifier)
    if (bundle !== undefined) return { url: bundle, format: 'module', shortCircuit: true }
    if (specifier.startsWith('.') && specifier.endsWith('.ts'))
      return {
        url: new URL(specifier, context.parentURL).href,
        format: 'module-typescript',
        shortCircuit: true,
      }
    const known = workspaces.get(specifier)
    if (known !== undefined) return known
    const resolved = nextResolve(specifier, context)
    // There is one package of each of these names.
    if (specifier.startsWith('@tidemark/')) workspaces.set(specifier, { ...resolved, shortCircuit: true })
    return resolved
  }
}
