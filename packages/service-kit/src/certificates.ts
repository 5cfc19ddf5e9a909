import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

const pemBlocks = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Reads the CA certificates of a PEM file; `name` is the variable that names the file; the ConfigError repeats it. */
export function readCertificates(name: string, path: string): string {
  const certificates = readText(name, path).match(pemBlocks) ?? [];
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates.join('\n');
  throw new ConfigError(`${name} must name a file of PEM certificates: ${path}`);
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`${name} names a file that cannot be read: ${path}`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
