/**
 * Rejects the metadata services of clouds by name. Most of these names resolve only within their cloud, so they may
 * have another address, or none, on the machine that accepts a URL.
 */
import { isAddressLiteral } from './resolve.ts'

/** Names from the documentation of the providers and of cloud-init. Each includes its subdomains. */
const names = [
  'metadata', // Google Cloud, by its search list
  'metadata.goog', // Google Cloud
  'instance-data', // AWS and Eucalyptus
  'metadata.tencentyun.com', // Tencent Cloud
  'metadata.cloud.ibm.com', // IBM Cloud: api.metadata.cloud.ibm.com
  'metadata.platformequinix.com', // Equinix Metal
  'metadata.packet.net', // Equinix Metal, formerly Packet
  'metadata.exoscale.com', // Exoscale
  'rancher-metadata', // Rancher
  'data-server', // CloudStack
]

/**
 * Matches `metadata.google.internal`, `metadata.azure.internal`, `instance-data.ec2.internal` and
 * `instance-data.eu-west-1.compute.internal`.
 */
const internal = /(?:^|\.)(?:metadata|instance-data)\.(?:[^.]+\.)*internal$/

/** Addresses of metadata services as parts of names that resolve to them: `169-254-169-254.nip.io`. */
const spelled = [
  '169.254.169.254', // AWS, Azure, Google Cloud, Oracle, OpenStack and most others
  '169.254.170.2', // containers of AWS
  '169.254.170.23', // containers of AWS
  '169.254.42.42', // Scaleway
  '100.100.100.200', // Alibaba Cloud
  '192.0.0.192', // Oracle Cloud
  '168.63.129.16', // the wire server of Azure
].flatMap(address => [address.replaceAll('.', '\\.'), address.replaceAll('.', '-'), inHex(address)])

const spelling = new RegExp(`(?:^|[.-])(?:${[...spelled, 'fd00-ec2--254'].join('|')})(?:[.-]|$)`)

/**
 * Returns why this host is rejected by its name, or null. Case, a trailing dot, escapes and other spellings of the
 * name (IDNA) make no difference. A host that is an IP address has no name.
 */
export function refuseHost(host: string): string | null {
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.+$/, '')
  if (name === undefined || isAddressLiteral(name)) return null
  const isNamed = names.some(known => name === known || name.endsWith(`.${known}`))
  return isNamed || internal.test(name) || spelling.test(name)
    ? `${name} is the name of a cloud's metadata service`
    : null
}

function inHex(address: string): string {
  return address
    .split('.')
    .map(part => Number(part).toString(16).padStart(2, '0'))
    .join('')
}
