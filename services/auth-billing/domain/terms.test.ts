import { capNames, hasNoPageLimit, limitsOf, mayContinue } from '@tidemark/contracts/limits'
import { tiers } from '@tidemark/contracts/tiers'
import fc from 'fast-check'
import { test } from 'tap'
import { changeKeyCaps, changeTerms, type ProjectTerms } from './terms.ts'

const projectId = 7
const proxy = { sealed: 'sealed1.AAAA', shown: 'http://proxy.example:3128' }
const project = (more: Partial<ProjectTerms> = {}): ProjectTerms => ({
  projectId,
  tier: 'pro',
  unlimited: false,
  caps: {},
  cloudMode: null,
  proxy: null,
  ...more,
})

test('Changing the terms of a project', async t => {
  t.strictSame(changeTerms(project(), {}), [])
  t.strictSame(
    changeTerms(project(), { tier: 'pro', unlimited: false, cloudMode: null }),
    [],
    'to their current values creates no event',
  )
  t.strictSame(
    changeTerms(project(), { tier: 'studio', caps: { pagesPerDay: 5 }, cloudMode: 'auto', proxy }),
    [
      { type: 'ProjectTierSet', data: { projectId, tier: 'studio', unlimited: false } },
      { type: 'ProjectCapsSet', data: { projectId, caps: { pagesPerDay: 5 } } },
      { type: 'ProjectCloudModeSet', data: { projectId, cloudMode: 'auto' } },
      { type: 'ProjectProxySet', data: { projectId, proxy } },
    ],
    'creates an event for each changed field',
  )
  t.strictSame(changeTerms(project(), { unlimited: true }), [
    { type: 'ProjectTierSet', data: { projectId, tier: 'pro', unlimited: true } },
  ])
  t.strictSame(
    changeTerms(project({ caps: { pagesPerDay: 5, pagesPerMonth: 9 } }), {
      caps: { pagesPerDay: 'default', cloudPagesPerDay: null },
    }),
    [{ type: 'ProjectCapsSet', data: { projectId, caps: { pagesPerMonth: 9, cloudPagesPerDay: null } } }],
    'keeps the missing caps, and removes those that become default',
  )
  t.strictSame(changeTerms(project({ caps: { pagesPerDay: null } }), { caps: { pagesPerDay: null } }), [])
  t.strictSame(changeTerms(project(), { proxy: null }), [])
  t.match(changeTerms(project({ proxy }), { proxy: null }), [{ data: { proxy: null } }])
})

test('Changing the caps of a key', async t => {
  const key = { projectId, prefix: 'tmk_AAAAAAAA', caps: { pagesPerDay: 5 } }
  t.strictSame(changeKeyCaps(key, { pagesPerDay: 5 }), [])
  t.strictSame(changeKeyCaps(key, { pagesPerDay: 'default' }), [
    { type: 'KeyCapsSet', data: { projectId, prefix: key.prefix, caps: {} } },
  ])
})

test('The limits of a key', async t => {
  const cap = fc.option(fc.nat(1_000_000), { nil: null })
  const caps = fc.record(
    { pagesPerDay: cap, pagesPerMonth: cap, cloudPagesPerDay: cap },
    { requiredKeys: [] },
  )
  const anyTerms = fc.record({
    tier: fc.constantFrom('free', 'pro', 'agency', 'studio'),
    unlimited: fc.boolean(),
    caps,
    keyCaps: caps,
  })
  const lower = (one: number | null, other: number | null) => other === null || (one !== null && one <= other)
  const rule = fc.property(anyTerms, terms => {
    const { keyCaps, ...ofProject } = terms
    const limits = limitsOf(terms)
    const project = limitsOf(ofProject)
    return capNames.every(name => {
      const { [name]: own = terms.unlimited ? null : tiers[terms.tier][name] } = terms.caps
      return (
        project[name] === own &&
        lower(limits[name], project[name]) &&
        lower(limits[name], keyCaps[name] ?? null)
      )
    })
  })
  t.doesNotThrow(
    () => fc.assert(rule),
    "are those of the tier or the project's own, and a key can only narrow them",
  )
  t.ok(hasNoPageLimit(limitsOf({ tier: 'free', unlimited: true })))
  t.notOk(hasNoPageLimit(limitsOf({ tier: 'free', unlimited: true, keyCaps: { pagesPerMonth: 1 } })))
})

test('A key continues the work of another only within its own caps', async t => {
  t.ok(mayContinue(undefined, undefined))
  t.ok(mayContinue({}, { pagesPerDay: 3 }), 'a key without caps continues any work')
  t.ok(mayContinue({ pagesPerDay: null }, {}))
  t.ok(mayContinue({ pagesPerDay: 3 }, { pagesPerDay: 3 }))
  t.notOk(mayContinue({ pagesPerDay: 3 }, {}), 'work without caps')
  t.notOk(mayContinue({ pagesPerDay: 3 }, { pagesPerDay: 4 }))
  t.notOk(mayContinue({ pagesPerDay: 3, cloudPagesPerDay: 1 }, { pagesPerDay: 3 }))
})
