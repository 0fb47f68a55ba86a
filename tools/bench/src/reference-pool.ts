import nodemailer from 'nodemailer';
import { benchMail } from './mail.js';

/** One nodemailer pool with nothing else to do, sending the same messages to the same sink. */
export async function referencePool(smtpUrl: string, count: number, connections: number): Promise<void> {
  const { hostname, port } = new URL(smtpUrl);
  const transport = nodemailer.createTransport({
    pool: true,
    host: hostname,
    port: Number(port),
    ignoreTLS: true,
    maxConnections: connections,
    maxMessages: 100,
  });
  const sends = Array.from({ length: count }, (_, index) => {
    const { to, subject, body, text } = benchMail(index);
    return transport.sendMail({ from: 'hello@example.test', to, subject, html: body, text });
  });
  await Promise.all(sends);
  transport.close();
}
