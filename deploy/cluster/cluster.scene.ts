/** The files of a cluster, and the violations of Kubernetes' own schemas. */
import fs from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import type { Manifest } from './manifest.ts'
import { deployFolder } from './write.ts'

const kubernetes = path.join(deployFolder, 'kubernetes')

export type Kustomization = {
  resources: string[]
  replicas?: { name: string; count: number }[]
  images?: { name: string }[]
  patches?: { path: string; target?: { kind: string } }[]
}

export const readKustomization = (folder: string): Kustomization =>
  parse(fs.readFileSync(path.join(kubernetes, folder, 'kustomization.yaml'), 'utf8'))

export const readManifest = (file: string): unknown =>
  parse(fs.readFileSync(path.join(kubernetes, file), 'utf8'))

export const filesIn = (folder: string): string[] => fs.readdirSync(path.join(kubernetes, folder)).sort()

/** All objects of a folder and of its bases. */
export function manifestsIn(folder: string): Manifest[] {
  return readKustomization(folder).resources.flatMap(resource =>
    resource.endsWith('.yaml')
      ? manifestsInFile(path.join(folder, resource))
      : manifestsIn(path.join(folder, resource)),
  )
}

const manifestsInFile = (file: string): Manifest[] =>
  parseAllDocuments(fs.readFileSync(path.join(kubernetes, file), 'utf8')).map(document => document.toJS())

/** Returns how the manifest violates the schema of its kind, or null if it conforms. */
export async function faultOf({ apiVersion, kind, ...rest }: Manifest): Promise<string | null> {
  const from = apiVersion.startsWith('keda.') ? '@kubernetes-models/keda' : 'kubernetes-models'
  const { [kind]: Model } = await import(`${from}/${apiVersion}/${kind}`)
  try {
    new Model(rest).validate()
    return null
  } catch (error) {
    return `${kind} ${rest.metadata.name}: ${(error as Error).message}`
  }
}

type Policy = {
  podSelector: Selector
  ingress: { from?: Peer[]; ports: Port[] }[]
  egress: { to?: Peer[]; ports?: Port[] }[]
}
type Selector = { matchLabels: Record<string, string> }
type Peer = { podSelector?: Selector; ipBlock?: { cidr: string; except: string[] } }
type Port = { port: number; protocol: string }

/**
 * Evaluates connections under the network policies of the manifests. Supports only the parts of policies that our files
 * use.
 */
export function network(manifests: readonly Manifest[]) {
  const policies = new Map<string, Policy>(
    manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => [nameIn((spec as Policy).podSelector), spec as Policy]),
  )
  const isOneOf = (peers: Peer[] | undefined, pod: string) =>
    peers === undefined || peers.some(({ podSelector }) => podSelector && nameIn(podSelector) === pod)
  const has = (ports: Port[] | undefined, wanted: number) =>
    ports === undefined || ports.some(({ port }) => port === wanted)
  return {
    /**
     * Returns whether a pod may connect to a port of another pod. A pod without a policy may send and receive
     * everything.
     */
    lets(from: string, to: string, port: number): boolean {
      const leaves =
        policies.get(from)?.egress.some(rule => isOneOf(rule.to, to) && has(rule.ports, port)) ?? true
      const arrives =
        policies.get(to)?.ingress.some(rule => isOneOf(rule.from, from) && has(rule.ports, port)) ?? true
      return leaves && arrives
    },
    /** Returns whether a pod may connect to IP addresses. A pod without a policy may. */
    leaves: (from: string): boolean =>
      policies.get(from)?.egress.some(({ to }) => to?.some(({ ipBlock }) => ipBlock)) ?? true,
    isWalled: (pod: string): boolean => policies.has(pod),
  }
}

const nameIn = ({ matchLabels }: Selector): string => matchLabels['app.kubernetes.io/name'] ?? ''

const readTiltfile = () => fs.readFileSync(path.join(deployFolder, '../Tiltfile'), 'utf8')

/** Returns the container folders into which the Tiltfile syncs changed code, and whether it sets an entrypoint. */
export function syncedByTilt(): { folders: string[]; hasEntrypoint: boolean } {
  const text = readTiltfile()
  const folders = [...text.matchAll(/ sync\('[^']+', '([^']+)'\)/g)].map(([, folder = '']) => folder)
  return { folders, hasEntrypoint: /^ *entrypoint=/m.test(text) }
}

/** Returns the names of the resources in the Tiltfile, each once: first the listed ones, then the single ones. */
export function namesInTiltfile(): string[] {
  const text = readTiltfile()
  const lists = [...text.matchAll(/^(?:servers|roles) = \[([^\]]*)\]/gm)].map(([, list = '']) => list)
  const single = [...text.matchAll(/^k8s_resource\('([^']+)'/gm)].map(([, name = '']) => name)
  const listed = lists.flatMap(list => [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))
  return [...new Set([...listed, ...single])]
}
