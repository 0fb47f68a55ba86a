import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Logger } from '@nestjs/common';

interface Certificate {
  cert: Buffer;
  key: Buffer;
}

/** Certificates are renewed every few weeks: a server that reads them only when it starts offers one that has expired. */
export class MailCertificate {
  private readonly log = new Logger('ReturnPath');
  private changedAt = '';

  constructor(
    private readonly certFile: string,
    private readonly keyFile: string,
  ) {}

  read(): Certificate {
    this.changedAt = this.timesOfFiles();
    return { cert: readFileSync(this.certFile), key: readFileSync(this.keyFile) };
  }

  /** Where the files have changed. While they do not fit together, or are not there, the old certificate serves. */
  renew(use: (certificate: Certificate) => void): void {
    const before = this.changedAt;
    try {
      if (this.timesOfFiles() === before) return;
      const certificate = this.read();
      // It throws where they do not fit; the server would be left with none.
      createSecureContext(certificate);
      use(certificate);
    } catch (error) {
      // Said once for each change.
      if (this.changedAt !== before)
        this.log.warn(`the new certificate is not used: ${(error as Error).message}`);
    }
  }

  private timesOfFiles(): string {
    return [this.certFile, this.keyFile].map((file) => statSync(file).mtimeMs).join(' ');
  }
}
